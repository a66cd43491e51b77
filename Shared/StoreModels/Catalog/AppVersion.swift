/// An app's version in Catalog: `{"catalogVersion":7,"settingsRevision":2}`. Data read at the same version is current,
/// except that products become available by date.
public struct AppVersion: Hashable, Sendable, Codable {
    /// Grows with each import and each change of content or promotions. 0 before the first import.
    public var catalogVersion: Int64
    /// Grows with each change of the app's settings. 0 for an app that does not exist.
    public var settingsRevision: Int64
}

/// Asks for an app's version on a lease: `{"bundleId":"com.example.app","holder":"4f…"}`.
public struct AppLeaseRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``VersionLease/holderLength`` has it. Nil for the version alone.
    public var holder: String?
}
