import Persistence

/// What of history is cleared: one transaction, one customer's, or that of all customers of an app.
struct HistoryScope: Hashable, Sendable {
    var bundleId: String
    var customerIdentifier: String?
    /// Together with its customer.
    var transactionID: String?

    /// On `payment_transaction`.
    var condition: String {
        transactionID == nil ? customerCondition : "\(customerCondition) AND id = ?"
    }

    var arguments: [any SQLValueConvertible] { customerArguments + (transactionID.map { [$0] } ?? []) }

    /// On any table with app and customer.
    var customerCondition: String {
        customerIdentifier == nil ? "bundle_id = ?" : "bundle_id = ? AND customer_identifier = ?"
    }

    var customerArguments: [any SQLValueConvertible] { [bundleId] + (customerIdentifier.map { [$0] } ?? []) }
}
