import Persistence

/// What a key of an app is for.
enum KeyKind: String, CaseIterable, Sendable, Codable, SQLValueConvertible {
    /// The app's server calls the gateway with it.
    case api
    /// The `password` of a receipt's check.
    case sharedSecret
    /// The app's server signs subscription offers with it: an elliptic curve key on P-256.
    case subscriptionOffer
}
