import Persistence
import StoreModels

/// Transactions as rows. Every statement that serves a customer carries app and customer.
package enum TransactionRepository {
    package static func insert(_ stored: StoredTransaction, in transaction: SQLTransaction) async throws {
        let value = stored.transaction
        try await transaction.execute(
            """
            INSERT INTO payment_transaction (id, bundle_id, customer_identifier, created_seq, state, phase, awaits_answer, revision,
                product_identifier, origin_device_id, terms, quote, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            value.id, stored.customer.bundleId, stored.customer.customerIdentifier, stored.createdSeq,
            value.transactionState.rawValue, stored.phase, stored.awaitsAnswer, value.revision,
            value.payment.productIdentifier,
            value.originDeviceId, try stored.terms.map(StoredJSON.text), try stored.quote.map(StoredJSON.text),
            try StoredJSON.text(value))
    }

    /// Writes a revision that ends or follows `expected`.
    /// - Returns: whether the row was still in that state; false means somebody else was first and nothing is written.
    package static func advance(
        _ stored: StoredTransaction, from expected: TransactionState, in transaction: SQLTransaction
    ) async throws -> Bool {
        let value = stored.transaction
        return try await transaction.execute(
            """
            UPDATE payment_transaction
            SET state = ?, phase = ?, awaits_answer = ?, is_finished = ?, revision = ?, transaction_number = ?,
                terms = ?, quote = ?, body = ?
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND state = ?
            """,
            value.transactionState.rawValue, stored.phase, stored.awaitsAnswer, stored.isFinished, value.revision,
            value.transactionIdentifier.flatMap(Int64.init), try stored.terms.map(StoredJSON.text),
            try stored.quote.map(StoredJSON.text), try StoredJSON.text(value), value.id, stored.customer.bundleId,
            stored.customer.customerIdentifier, expected.rawValue) == 1
    }

    /// Takes a transaction out of the queue.
    /// - Returns: false when it was out already.
    package static func markFinished(
        _ id: String, of customer: CustomerID, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE payment_transaction SET is_finished = 1
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND is_finished = 0
            """, id, customer.bundleId, customer.customerIdentifier) == 1
    }

    package static func find(_ id: String, of customer: CustomerID, in reader: SQLReader) async throws -> StoredTransaction? {
        try await reader.queryOne(
            "SELECT * FROM payment_transaction WHERE id = ? AND bundle_id = ? AND customer_identifier = ?", id,
            customer.bundleId, customer.customerIdentifier
        ).map(StoredTransaction.init)
    }

    /// For the service itself, which knows an identifier from its own table.
    package static func find(_ id: String, in reader: SQLReader) async throws -> StoredTransaction? {
        try await reader.queryOne("SELECT * FROM payment_transaction WHERE id = ?", id).map(StoredTransaction.init)
    }

    /// The next identifier of a purchased or restored transaction: decimal, and larger than all before it.
    package static func nextIdentifier(in transaction: SQLTransaction) async throws -> String {
        "\(try await CounterRepository.next(.transaction, in: transaction))"
    }
}
