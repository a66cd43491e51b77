/// The environment in signed payloads, as Apple spells it.
public enum AppStoreEnvironment: String, CaseIterable, Sendable, Codable {
    case sandbox = "Sandbox"
    /// Its payloads carry the app's `appAppleId`.
    case production = "Production"
    /// Signed as usual, but Apple's libraries do not check the chain.
    case localTesting = "LocalTesting"
    /// Signed as Xcode does, with one certificate.
    case xcode = "Xcode"
}

/// The app that a signed payload is about.
public struct ServerApp: Hashable, Sendable {
    public var bundleId: String
    public var environment: AppStoreEnvironment
    /// Apple's number of the app, in production only.
    public var appAppleId: Int64?
}
