import Persistence
import StoreModels

/// Open prompts. An answered one has no row: whoever deletes the row has answered.
package enum PromptRepository {
    package static func insert(
        _ kind: Prompt.Kind, then nextKind: Prompt.Kind?, about stored: StoredTransaction, wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws {
        try await transaction.send(
            """
            INSERT INTO prompt (id, kind, next_kind, bundle_id, customer_identifier, transaction_id, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            Identifiers.prompt(try await CounterRepository.next(.prompt, in: transaction)), kind, nextKind,
            stored.customer.bundleId, stored.customer.customerIdentifier, stored.id, wall.milliseconds)
    }

    package static func find(_ id: String, in reader: SQLReader) async throws -> StoredPrompt? {
        try await reader.queryOne(
            """
            SELECT p.*, c.account FROM prompt p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE p.id = ?
            """, id
        ).map(StoredPrompt.init)
    }

    /// The open question about a transaction.
    package static func find(
        about transactionID: String, _ customer: CustomerID, in reader: SQLReader
    ) async throws -> StoredPrompt? {
        try await reader.queryOne(
            """
            SELECT p.*, c.account FROM prompt p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE p.transaction_id = ? AND p.bundle_id = ? AND p.customer_identifier = ?
            """, transactionID, customer.bundleId, customer.customerIdentifier
        ).map(StoredPrompt.init)
    }

    /// - Returns: false when the prompt was answered already.
    package static func remove(_ id: String, in transaction: SQLTransaction) async throws(PersistenceError) -> Bool {
        try await transaction.execute("DELETE FROM prompt WHERE id = ?", id) == 1
    }

    /// Open prompts behind `after`, oldest first.
    package static func list(
        account: String?, after: String, limit: Int, in reader: SQLReader
    ) async throws -> [StoredPrompt] {
        var conditions = ["p.id > ?"]
        var arguments: [any SQLValueConvertible] = [after]
        if let account {
            conditions.append("c.account = ?")
            arguments.append(account)
        }
        return try await reader.query(
            """
            SELECT p.*, c.account FROM prompt p
            JOIN customer c ON c.bundle_id = p.bundle_id AND c.customer_identifier = p.customer_identifier
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY p.id LIMIT ?
            """, arguments: arguments + [limit]
        ).map(StoredPrompt.init)
    }
}
