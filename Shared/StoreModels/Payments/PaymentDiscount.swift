/// A signed promotional offer, as `SKPaymentDiscount`.
public struct PaymentDiscount: Hashable, Sendable, Codable {
    public var identifier: String
    public var keyIdentifier: String
    /// A UUID, lower case.
    public var nonce: String
    /// Base64 of the DER signature.
    public var signature: String
    /// Milliseconds since 1970.
    public var timestamp: Int64

    public init(identifier: String, keyIdentifier: String, nonce: String, signature: String, timestamp: Int64) {
        self.identifier = identifier
        self.keyIdentifier = keyIdentifier
        self.nonce = nonce
        self.signature = signature
        self.timestamp = timestamp
    }
}
