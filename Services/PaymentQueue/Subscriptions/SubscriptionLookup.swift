import Persistence
import StoreModels

/// Finds subscriptions by their transactions, and lists them.
enum SubscriptionLookup {
    /// Finds the subscription of a transaction of any customer, by the transaction's `id` or identifier.
    /// - Throws: `notFound`.
    static func find(_ id: String, in reader: SQLReader) async throws -> DueSubscription {
        var identifier = id
        if let stored = try await TransactionRepository.find(id, in: reader)?.transaction {
            identifier = stored.originalTransactionIdentifier ?? stored.transactionIdentifier ?? id
        } else if let number = Int64(id), let stored = try await transaction(number, in: reader)?.transaction {
            identifier = stored.originalTransactionIdentifier ?? id
        }
        let row = try await reader.queryOne("\(DueSubscription.select) WHERE s.original_identifier = ?", identifier)
        guard let row else { throw StoreError(.notFound, "no such subscription") }
        return try DueSubscription(row)
    }

    private static func transaction(_ number: Int64, in reader: SQLReader) async throws -> StoredTransaction? {
        try await reader.queryOne("SELECT * FROM payment_transaction WHERE transaction_number = ?", number).map(
            StoredTransaction.init)
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
        var conditions = ["s.original_identifier > ?"]
        var arguments: [any SQLValueConvertible] = [request.after ?? ""]
        func add(_ condition: String, _ argument: (any SQLValueConvertible)?) {
            guard let argument else { return }
            conditions.append(condition)
            arguments.append(argument)
        }
        add("s.bundle_id = ?", request.bundleId)
        if request.bundleId == nil { conditions.append("s.bundle_id NOT LIKE '%@%'") }
        add("c.account = ?", request.account)
        add("s.state = ?", request.state?.rawValue)
        return try await reader.query(
            """
            \(DueSubscription.select)
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY s.original_identifier LIMIT ?
            """, arguments: arguments + [request.limit]
        ).map(DueSubscription.init)
    }
}
