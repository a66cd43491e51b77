/// The purpose of a key.
public enum KeyKind: String, CaseIterable, Hashable, Sendable, Codable {
    /// Authenticates the app's server at the gateway.
    case api
    /// The `password` of a receipt's verification.
    case sharedSecret
    /// Signs subscription offers on the app's server: an elliptic curve key on P-256.
    case subscriptionOffer
    /// Signs the tokens of an app's server for the App Store Server API, and subscription offers: an elliptic curve key on
    /// P-256. The account's serve all apps.
    case inAppPurchase
}

/// A key as AppStoreServer has it, without its secret.
public struct AppKeyRecord: Hashable, Sendable, Codable {
    public var keyIdentifier: String
    /// The app it belongs to. For a key of the account it is empty, and in a request with a token the token's app.
    public var bundleId: String
    public var kind: KeyKind
    /// The time of creation by the wall clock.
    public var createdAt: Timestamp
    /// Whether it serves each app of the installation.
    public var isAccounts: Bool
    /// PEM, only of keys that sign. Signatures are verified with it.
    public var publicKey: String?
    /// SHA-256 of the secret in hexadecimal digits. Nil where the public key suffices.
    public var digest: String?
}

extension AppKeyRecord {
    /// The `bundleId` of the account's keys. No app has it.
    public static let account = ""
}

/// Asks for a new key.
public struct AddAppKeyRequest: Hashable, Sendable, Codable {
    /// The key's app, or ``AppKeyRecord/account``.
    public var bundleId: String
    public var kind: KeyKind
}

/// A new key with its secret, which only this reply has.
public struct NewAppKey: Hashable, Sendable, Codable {
    public var key: AppKeyRecord
    /// The text that the app's server sends, or the private key as PEM.
    public var secret: String
}

/// The keys of an app or of the account, oldest first.
public struct AppKeys: Hashable, Sendable, Codable {
    public var keys: [AppKeyRecord]
}

/// Names a key of an app or of the account.
public struct AppKeyRequest: Hashable, Sendable, Codable {
    public var keyIdentifier: String
    public var bundleId: String
}

/// Asks for a key by what a token or a signature names.
public struct FindAppKeyRequest: Hashable, Sendable, Codable {
    public var keyIdentifier: String
}

/// The key, if there is one.
public struct FoundAppKey: Hashable, Sendable, Codable {
    public var key: AppKeyRecord?
}
