/// One row of a customer's journal, and the body of the hint that tells of it:
///
/// ```json
/// {"bundleId":"com.example.app","customerIdentifier":"c_…","seq":7,"kind":"updated","transaction":{…}}
/// ```
/// `seq` has no gaps per customer; `transaction` is the transaction at that revision, so that a reader sees every state
/// in order even when it reads late.
public struct CustomerChange: Hashable, Sendable, Codable {
    public enum Kind: String, Sendable, Codable {
        case updated
        /// The transaction left the queue on every device: it was finished, or an operator has cleared it away.
        case removed
    }

    public var bundleId: String
    public var customerIdentifier: String
    public var seq: Int64
    public var kind: Kind
    public var transaction: PaymentTransaction

    public init(
        bundleId: String, customerIdentifier: String, seq: Int64, kind: Kind, transaction: PaymentTransaction
    ) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.seq = seq
        self.kind = kind
        self.transaction = transaction
    }

    /// Whether the device's stream forwards this change.
    public func isVisible(to deviceId: String) -> Bool { transaction.isVisible(to: deviceId) }
}
