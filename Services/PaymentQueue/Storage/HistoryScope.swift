import Persistence

/// What of history is cleared: one transaction, one customer's, or that of all customers of an app.
package struct HistoryScope: Hashable, Sendable {
    package var bundleId: String
    package var customerIdentifier: String?
    /// Together with its customer.
    package var transactionID: String?

    package init(bundleId: String, customerIdentifier: String? = nil, transactionID: String? = nil) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
        self.transactionID = transactionID
    }

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
