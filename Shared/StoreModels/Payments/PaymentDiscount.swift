/// A signed promotional offer, as `SKPaymentDiscount`.
public struct PaymentDiscount: Hashable, Sendable, Codable {
    /// The promotional offer's identifier, empty if the app left it out.
    public var identifier: String
    /// The key that signed it, by its `keyIdentifier`, empty if the app left it out.
    public var keyIdentifier: String
    /// A UUID, lower case.
    public var nonce: String
    /// Base64 of the DER signature.
    public var signature: String
    /// Milliseconds since 1970.
    public var timestamp: Int64
}
