/// A public key for verifying an app's promotional offers:
/// `{"keyIdentifier":"ABCDEF2345","publicKey":"-----BEGIN…"}`
public struct SubscriptionOfferKey: Hashable, Sendable, Codable {
    /// The name that a signed offer's `keyIdentifier` gives, case-sensitive.
    public var keyIdentifier: String
    /// PEM, an elliptic curve key on P-256.
    public var publicKey: String
}
