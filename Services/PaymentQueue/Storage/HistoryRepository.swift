import Persistence
import StoreModels

/// Takes transactions away, with all that hangs on them.
package enum HistoryRepository {
    /// Purchases the processor may be asked about right now, behind `after`, by identifier.
    package static func charging(
        _ scope: HistoryScope, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE phase <> 'settled' AND phase = 'charging' AND awaits_answer = 0 AND id > ? AND \(scope.condition)
            ORDER BY id LIMIT ?
            """, arguments: [after] + scope.arguments + [limit]
        ).map(StoredTransaction.init)
    }

    /// Transactions that can go: all but those the processor may be asked about. Each customer's oldest first, so that
    /// nothing goes before what it continues.
    package static func removable(
        _ scope: HistoryScope, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction WHERE \(scope.condition) AND (phase <> 'charging' OR awaits_answer = 1)
            ORDER BY bundle_id, customer_identifier, created_seq LIMIT ?
            """, arguments: scope.arguments + [limit]
        ).map(StoredTransaction.init)
    }

    /// Removes a transaction: its payment, and with it the idempotency key, its prompt, the offer and the product it
    /// has claimed, and what it has given.
    package static func remove(_ id: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute("DELETE FROM offer_claim WHERE transaction_id = ?", id)
        try await transaction.execute("DELETE FROM purchase_slot WHERE transaction_id = ?", id)
        try await transaction.execute("DELETE FROM owned_product WHERE transaction_id = ?", id)
        try await transaction.execute("DELETE FROM subscription_group WHERE original_id = ?", id)
        try await transaction.execute("DELETE FROM prompt WHERE transaction_id = ?", id)
        try await transaction.execute("DELETE FROM payment WHERE transaction_id = ?", id)
        try await transaction.execute("DELETE FROM payment_transaction WHERE id = ?", id)
    }
}
