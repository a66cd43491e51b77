import Persistence

/// Whose history is cleared: one customer's, or that of all customers of an app.
package struct HistoryScope: Hashable, Sendable {
    package var bundleId: String
    package var customerIdentifier: String?

    package init(bundleId: String, customerIdentifier: String? = nil) {
        self.bundleId = bundleId
        self.customerIdentifier = customerIdentifier
    }

    var condition: String {
        customerIdentifier == nil ? "bundle_id = ?" : "bundle_id = ? AND customer_identifier = ?"
    }

    var arguments: [any SQLValueConvertible] { [bundleId] + (customerIdentifier.map { [$0] } ?? []) }
}
