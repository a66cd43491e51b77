import Persistence
import StoreModels

/// An account in one app.
struct Customer: Hashable, Sendable {
    var id: CustomerReference
    var account: String
    /// Alpha-3 country code: from when the account was created, or what the operator has made of it since.
    var storefront: String
    /// The last journal row; 0 before the first.
    var headSeq: Int64
    /// The journal begins behind this row.
    var prunedSeq: Int64
}

extension CustomerReference {
    /// The customer a row belongs to.
    init(_ row: SQLRow) throws(PersistenceError) {
        self.init(bundleId: try row["bundle_id"], customerIdentifier: try row["customer_identifier"])
    }
}

/// A request about one customer of an app.
protocol CustomerRequest {
    var bundleId: String { get }
    var customerIdentifier: String { get }
}

extension CustomerRequest {
    var customer: CustomerReference { CustomerReference(bundleId: bundleId, customerIdentifier: customerIdentifier) }
}

extension AcknowledgeRevocationsRequest: CustomerRequest {}
extension AddPaymentRequest: CustomerRequest {}
extension ChangesRequest: CustomerRequest {}
extension CustomerStandingRequest: CustomerRequest {}
extension DownloadRequest: CustomerRequest {}
extension HistoryRequest: CustomerRequest {}
extension ReceiptFactsRequest: CustomerRequest {}
extension RestoreRequest: CustomerRequest {}
extension ShowPriceConsentRequest: CustomerRequest {}
extension SnapshotRequest: CustomerRequest {}
extension StartRestoreRequest: CustomerRequest {}
extension SubscriptionsRequest: CustomerRequest {}
extension TransactionRequest: CustomerRequest {}
extension UpdateDownloadRequest: CustomerRequest {}
extension UpdateSubscriptionRequest: CustomerRequest {}
