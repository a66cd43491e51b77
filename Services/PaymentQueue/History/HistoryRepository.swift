import Persistence
import StoreModels

/// Removes transactions and their dependent rows.
enum HistoryRepository {
    /// Reads the purchases after `after` whose charge the processor may be asked about, by identifier.
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

    /// Reads transactions that can be removed, each customer's oldest first.
    ///
    /// It leaves out those the processor may be asked about, and the first transactions of subscriptions with a renewal
    /// being charged. Renewals in quarantine do not count. In this order a transaction follows the one it continues.
    static func removable(
        _ scope: HistoryScope, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(removableSQL(scope.condition), arguments: scope.arguments + [limit])
            .map(StoredTransaction.init)
    }

    /// Reads the transactions of one customer that can be removed, as ``removable(_:limit:in:)`` does.
    static func removable(
        of customer: CustomerReference, _ transactionID: String?, limit: Int
    ) -> SQLLookup<[StoredTransaction]> {
        let (app, identifier) = (customer.bundleId, customer.customerIdentifier)
        guard let transactionID else {
            return SQLLookup(all: removableRows, app, identifier, limit) { try StoredTransaction($0) }
        }
        return SQLLookup(all: removableRow, app, identifier, transactionID, limit) { try StoredTransaction($0) }
    }

    private static let removableRows = SQLBatchStatement.query(
        removableSQL("bundle_id = ? AND customer_identifier = ?"), .text, .text, .integer)
    private static let removableRow = SQLBatchStatement.query(
        removableSQL("bundle_id = ? AND customer_identifier = ? AND id = ?"), .text, .text, .text, .integer)

    private static func removableSQL(_ condition: String) -> String {
        """
        SELECT * FROM payment_transaction WHERE \(condition) AND (phase <> 'charging' OR awaits_answer = 1)
            AND NOT EXISTS (
                SELECT 1 FROM subscription s
                WHERE s.original_id = payment_transaction.id AND s.attempt IS NOT NULL AND s.due_at IS NOT NULL)
        ORDER BY bundle_id, customer_identifier, created_seq LIMIT ?
        """
    }

    /// Removes transactions and everything that depends on them, table by table.
    ///
    /// That is their payments with the idempotency keys, their prompts and downloads, the offers and the products they
    /// have claimed, and the access they have given. Refunds without a reply of the processor stay in the outbox.
    static func remove(_ ids: [String], of customer: CustomerReference) -> [SQLChange] {
        ids.map { TransactionRepository.release(waitingFor: $0, of: customer) }
            + removals.flatMap { removal in
                ids.map { SQLChange(removal, $0, customer.bundleId, customer.customerIdentifier) }
            }
    }

    /// Deletes the rows that depend on a transaction, and the transaction last.
    private static let removals = [
        ("offer_claim", "transaction_id"), ("purchase_slot", "transaction_id"), ("owned_product", "transaction_id"),
        ("code_redemption", "transaction_id"),
        ("refund", "is_done = 1 AND reversal <> 1 AND transaction_id"), ("revocation", "transaction_id"),
        ("refund_request", "transaction_id"), ("subscription_extension", "original_id"),
        ("subscription_event", "original_id"), ("paid_group", "original_id"),
        ("subscription_period", "original_id"), ("subscription_period", "transaction_id"),
        ("subscription", "original_id"), ("prompt", "transaction_id"), ("download", "transaction_id"),
        ("payment_transaction", "id"),
    ].map { table, column in
        SQLBatchStatement.delete(
            from: table, where: "\(column) = ? AND bundle_id = ? AND customer_identifier = ?", .text, .text, .text)
    }

    /// Removes restores and their idempotency keys, also running ones, because their transactions are removed too.
    /// - Returns: The number removed, which is less than `limit` when no more are left.
    static func removeRestores(
        _ scope: HistoryScope, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        guard scope.transactionID == nil else { return 0 }
        return try await transaction.execute(
            """
            DELETE FROM restore
            WHERE id IN (SELECT id FROM restore WHERE \(scope.customerCondition) ORDER BY id LIMIT ?)
            """, arguments: scope.customerArguments + [limit])
    }
}

/// The history to clear: one transaction, one customer's, or that of an app's customers, also of a deleted app's.
struct HistoryScope: Hashable, Sendable {
    var bundleId: String
    /// Nil for all customers of the app.
    var customerIdentifier: String?
    /// Set together with its customer. Nil for all transactions.
    var transactionID: String?
    /// The number of the app's deletion. Once it has ended, the scope has no rows. Nil for a history that is cleared.
    var deletion: Int64?

    /// The SQL condition on `payment_transaction`.
    var condition: String {
        transactionID == nil ? customerCondition : "\(customerCondition) AND id = ?"
    }

    var arguments: [any SQLValueConvertible] { customerArguments + (transactionID.map { [$0] } ?? []) }

    /// The SQL condition on any table with app and customer.
    var customerCondition: String {
        if deletion != nil { return "bundle_id = ? AND \(Self.isUnderWay)" }
        return customerIdentifier == nil ? "bundle_id = ?" : "bundle_id = ? AND customer_identifier = ?"
    }

    /// The SQL condition that a deletion has not ended (``AppRows``).
    static let isUnderWay = "? > (SELECT ended FROM app_removal)"

    var customerArguments: [any SQLValueConvertible] {
        if let deletion { return [bundleId, deletion] }
        return [bundleId] + (customerIdentifier.map { [$0] } ?? [])
    }
}
