import Persistence
import ServiceDatabase
import StoreModels

/// Finds subscriptions by their transactions, and lists them.
enum SubscriptionLookup {
    /// Finds the subscription of the transaction that an operator names.
    /// - Throws: `notFound`, also for a transaction of another scope.
    static func find(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> DueSubscription {
        guard let stored = try await TransactionRepository.find(named, in: reader),
            let original = stored.transaction.originalTransactionIdentifier ?? stored.transaction.transactionIdentifier,
            let due = try await find(original: original, of: stored.customer, in: reader)
        else { throw StoreError(.notFound, "no such subscription") }
        return due
    }

    /// Finds a customer's own subscription by its first transaction's identifier.
    static func find(
        original identifier: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> DueSubscription? {
        try await reader.queryOne(
            """
            \(DueSubscription.select)
            WHERE s.original_identifier = ? AND s.bundle_id = ? AND s.customer_identifier = ?
            """, identifier, customer.bundleId, customer.customerIdentifier
        ).map(DueSubscription.init)
    }

    /// Reads a customer's subscriptions in the order of their first purchase.
    static func list(
        of customer: CustomerReference, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [DueSubscription] {
        try await reader.query(
            """
            \(DueSubscription.select)
            WHERE s.bundle_id = ? AND s.customer_identifier = ? AND s.original_identifier > ?
            ORDER BY s.original_identifier LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, limit
        ).map(DueSubscription.init)
    }

    /// Reads subscriptions of all customers for the operator, in the order of their first purchase.
    static func list(_ request: SubscriptionListRequest, in reader: SQLReader) async throws -> [DueSubscription] {
        var filter = OperatorFilter(app: request.bundleId, "s.", after: request.after, by: "original_identifier")
        filter.add("c.account = ?", request.account)
        filter.add("s.state = ?", request.state?.rawValue)
        return try await reader.query(
            """
            \(DueSubscription.select)
            WHERE \(filter.sql) ORDER BY s.original_identifier LIMIT ?
            """, arguments: filter.arguments + [request.limit]
        ).map(DueSubscription.init)
    }
}
