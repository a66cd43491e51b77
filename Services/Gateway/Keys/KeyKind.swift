import Persistence

/// The purpose of an app's key.
enum KeyKind: String, CaseIterable, Sendable, Codable, SQLValueConvertible {
    /// Authenticates the app's server at the gateway.
    case api
    /// The `password` of a receipt's verification.
    case sharedSecret
    /// Signs subscription offers on the app's server: an elliptic curve key on P-256.
    case subscriptionOffer
}
