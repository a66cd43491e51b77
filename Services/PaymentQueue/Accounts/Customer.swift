import Persistence
import StoreModels

/// An account in one app.
struct Customer: Hashable, Sendable {
    var id: CustomerReference
    var account: String
    /// Alpha-3 country code: the one of the account's creation, unless an operator has changed it since.
    var storefront: String
    /// The number of the last journal row. 0 before the first.
    var headSeq: Int64
    /// The number of the last pruned journal row. 0 before the first.
    var prunedSeq: Int64
    /// The last place among the changes of the customer's transactions. 0 before the first.
    var modifiedSeq: Int64
    /// The number of the customer's download of the app.
    var appTransaction: Int64

    /// The account, whose settings all of its customers in the scope have.
    var tester: ScopedIdentifier { ScopedIdentifier(account, in: IsolationScope(of: id.bundleId)) }
}

extension CustomerReference {
    /// Reads the customer a row belongs to.
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
extension AppTransactionRequest: CustomerRequest {}
extension ChangesRequest: CustomerRequest {}
extension StorePageCustomerRequest: CustomerRequest {}
extension DownloadRequest: CustomerRequest {}
extension HistoryRequest: CustomerRequest {}
extension PaymentOutcomesRequest: CustomerRequest {}
extension ReceiptFactsRequest: CustomerRequest {}
extension RestoreRequest: CustomerRequest {}
extension ShowPriceConsentRequest: CustomerRequest {}
extension SnapshotRequest: CustomerRequest {}
extension StartRestoreRequest: CustomerRequest {}
extension SubscriptionStatusesRequest: CustomerRequest {}
extension SubscriptionsRequest: CustomerRequest {}
extension TransactionRequest: CustomerRequest {}
extension UpdateDownloadRequest: CustomerRequest {}
extension UpdateSubscriptionRequest: CustomerRequest {}
extension ViewedTransactionsRequest: CustomerRequest {}
