import Persistence
import StoreModels

/// Takes transactions away, with all that hangs on them.
enum HistoryRepository {
    /// Purchases the processor may be asked about right now, behind `after`, by identifier.
    static func charging(
        _ scope: HistoryScope, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE \(TransactionRepository.isOpen) AND phase = 'charging' AND id > ? AND \(scope.condition)
            ORDER BY id LIMIT ?
            """, arguments: [after] + scope.arguments + [limit]
        ).map(StoredTransaction.init)
    }

    /// Transactions that can be removed, each customer's oldest first. Those the processor may be asked about are left
    /// out, and those that subscriptions began with while a renewal is being charged (one in quarantine is not). The
    /// order removes no transaction before the one it continues.
    static func removable(
        _ scope: HistoryScope, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction WHERE \(scope.condition) AND (phase <> 'charging' OR awaits_answer = 1)
                AND NOT EXISTS (
                    SELECT 1 FROM subscription s
                    WHERE s.original_id = payment_transaction.id AND s.attempt IS NOT NULL AND s.due_at IS NOT NULL)
            ORDER BY bundle_id, customer_identifier, created_seq LIMIT ?
            """, arguments: scope.arguments + [limit]
        ).map(StoredTransaction.init)
    }

    /// Removes a transaction: its payment, and with it the idempotency key, its prompt and downloads, the offer and the
    /// product it has claimed, and what it has given. Refunds the processor has not answered stay in the outbox.
    static func remove(
        _ id: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await TransactionRepository.release(waitingFor: id, of: customer, in: transaction)
        for removal in removals {
            try await transaction.send(removal, id, customer.bundleId, customer.customerIdentifier)
        }
    }

    /// What hangs on a transaction, and the transaction itself, which goes last.
    private static let removals = [
        ("offer_claim", "transaction_id"), ("purchase_slot", "transaction_id"), ("owned_product", "transaction_id"),
        ("refund", "is_done = 1 AND transaction_id"), ("revocation", "transaction_id"),
        ("subscription_event", "original_id"), ("paid_group", "original_id"),
        ("subscription_period", "original_id"), ("subscription_period", "transaction_id"),
        ("subscription", "original_id"), ("prompt", "transaction_id"), ("download", "transaction_id"),
        ("payment", "transaction_id"), ("payment_transaction", "id"),
    ].map { table, column in
        "DELETE FROM \(table) WHERE \(column) = ? AND bundle_id = ? AND customer_identifier = ?"
    }

    /// Forgets restores and their idempotency keys, running ones too: there is nothing left to restore.
    /// - Returns: The number removed; fewer than `limit` when no more are left.
    static func removeRestores(
        _ scope: HistoryScope, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        guard scope.transactionID == nil else { return 0 }
        return try await transaction.execute(
            """
            DELETE FROM restore WHERE id IN (SELECT id FROM restore WHERE \(scope.customerCondition) ORDER BY id LIMIT ?)
            """, arguments: scope.customerArguments + [limit])
    }
}

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
