/// A subscription's next renewal, from a server's answer about a receipt (`pending_renewal_info`):
///
/// ```json
/// {"originalTransactionIdentifier":"2000000000000001","subscriptionGroupIdentifier":"21378123",
///  "isInBillingRetryPeriod":true,"gracePeriodExpiresDate":"2026-12-27T10:00:00.000Z"}
/// ```
public struct ReceiptRenewal: Hashable, Sendable, Codable {
    /// The subscription's first transaction, decimal digits.
    public var originalTransactionIdentifier: String
    /// The group of all purchases with this original identifier. It counts before the purchases' own (M122).
    public var subscriptionGroupIdentifier: String?
    /// Whether a renewal failed and is retried. Apple sets it in the grace period as well.
    public var isInBillingRetryPeriod: Bool = false
    /// The end of access without payment, or nil without a grace period.
    public var gracePeriodExpiresDate: Timestamp?
}
