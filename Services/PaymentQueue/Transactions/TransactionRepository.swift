import Persistence
import ServiceDatabase
import StoreModels

/// Transactions as rows. Every statement that serves a customer carries app and customer.
enum TransactionRepository {
    /// - Parameter body: The transaction's JSON.
    static func insert(
        _ stored: StoredTransaction, body: String, in transaction: SQLTransaction
    ) async throws {
        let value = stored.transaction
        try await transaction.send(
            """
            INSERT INTO payment_transaction (id, bundle_id, customer_identifier, created_seq, history_seq, state, phase,
                awaits_answer, was_deferred, revision, product_identifier, origin_device_id, transaction_number,
                supersedes, terms, quote, offer_request, charge_key, waits_for, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            value.id, stored.customer.bundleId, stored.customer.customerIdentifier, stored.createdSeq,
            stored.historySeq, value.transactionState.rawValue, stored.phase, stored.awaitsAnswer, stored.wasDeferred,
            value.revision,
            value.payment.productIdentifier, value.originDeviceId, value.transactionIdentifier.flatMap(Int64.init),
            value.supersedes, try stored.terms.map(StoredJSON.text), try stored.quote.map(StoredJSON.text),
            try stored.request.map(StoredJSON.text), stored.chargeKey, stored.waitsFor, body)
    }

    /// Writes what has become of a purchased or restored transaction since, a refund or an upgrade: its next revision.
    /// - Returns: False when the row was no longer at the revision before, and nothing is written.
    static func rewrite(
        _ value: PaymentTransaction, body: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE payment_transaction SET revision = ?, body = ?
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND state IN ('purchased', 'restored')
                AND revision = ?
            """, value.revision, body, value.id, customer.bundleId, customer.customerIdentifier, value.revision - 1)
            == 1
    }

    /// Writes what becomes of `known`, which may have been read before this transaction.
    /// - Parameter body: The transaction's JSON.
    /// - Returns: Whether the row was still equal to `known`; false means another writer was first and nothing is
    ///   written.
    static func advance(
        _ stored: StoredTransaction, body: String, from known: StoredTransaction, in transaction: SQLTransaction
    ) async throws -> Bool {
        let value = stored.transaction
        return try await transaction.execute(
            """
            UPDATE payment_transaction
            SET state = ?, phase = ?, awaits_answer = ?, was_deferred = ?, is_finished = ?, revision = ?,
                transaction_number = ?, history_seq = ?, terms = ?, quote = ?, waits_for = NULL, body = ?
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND state = ? AND revision = ? AND phase = ?
                AND awaits_answer = ?
            """,
            value.transactionState.rawValue, stored.phase, stored.awaitsAnswer, stored.wasDeferred, stored.isFinished,
            value.revision, value.transactionIdentifier.flatMap(Int64.init), stored.historySeq,
            try stored.terms.map(StoredJSON.text), try stored.quote.map(StoredJSON.text), body, value.id,
            stored.customer.bundleId,
            stored.customer.customerIdentifier, known.transaction.transactionState.rawValue, known.transaction.revision,
            known.phase, known.awaitsAnswer) == 1
    }

    /// Writes what the service itself remembers of a transaction whose state stays: its phase, and whether it waits for
    /// an answer.
    /// - Returns: Whether the row was still in that state.
    static func setPhase(
        of stored: StoredTransaction, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE payment_transaction SET phase = ?, awaits_answer = ?
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND state = ?
            """, stored.phase, stored.awaitsAnswer, stored.id, stored.customer.bundleId,
            stored.customer.customerIdentifier, stored.transaction.transactionState.rawValue) == 1
    }

    /// Writes what a purchase waits for.
    static func setWaitsFor(
        of stored: StoredTransaction, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE payment_transaction SET waits_for = ?
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND phase = 'waiting'
            """, stored.waitsFor, stored.id, stored.customer.bundleId, stored.customer.customerIdentifier)
    }

    /// What waited for a transaction need not wait for it any longer.
    static func release(
        waitingFor id: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE payment_transaction SET waits_for = NULL
            WHERE waits_for = ? AND bundle_id = ? AND customer_identifier = ?
            """, id, customer.bundleId, customer.customerIdentifier)
    }

    /// Takes a transaction out of the queue.
    /// - Returns: False when it was out already.
    static func markFinished(
        _ id: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE payment_transaction SET is_finished = 1
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND is_finished = 0
            """, id, customer.bundleId, customer.customerIdentifier) == 1
    }

    static func find(
        _ id: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> StoredTransaction? {
        try await reader.queryOne(
            "SELECT * FROM payment_transaction WHERE id = ? AND bundle_id = ? AND customer_identifier = ?", id,
            customer.bundleId, customer.customerIdentifier
        ).map(StoredTransaction.init)
    }

    /// As ``find(_:of:in:)``, by `id` or, where it is all digits, by `transactionIdentifier`.
    static func find(
        identifier text: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> StoredTransaction? {
        guard let number = Identifiers.transactionNumber(text) else {
            return try await find(text, of: customer, in: reader)
        }
        return try await reader.queryOne(
            """
            SELECT * FROM payment_transaction
            WHERE transaction_number = ? AND bundle_id = ? AND customer_identifier = ?
            """, number, customer.bundleId, customer.customerIdentifier
        ).map(StoredTransaction.init)
    }

    /// For operators, over all customers: by `id` or by `transactionIdentifier`.
    static func find(identifier text: String, in reader: SQLReader) async throws -> StoredTransaction? {
        guard let number = Identifiers.transactionNumber(text) else { return try await find(text, in: reader) }
        return try await reader.queryOne("SELECT * FROM payment_transaction WHERE transaction_number = ?", number).map(
            StoredTransaction.init)
    }

    /// The transaction a download comes with, while it is in the queue.
    /// - Throws: `notFound`, also for another customer's, for one this device does not see, and after its finish.
    static func download(
        _ id: String, of customer: CustomerReference, deviceId: String, in reader: SQLReader
    ) async throws -> StoredTransaction {
        guard let transactionID = Identifiers.transaction(ofDownload: id),
            let stored = try await find(transactionID, of: customer, in: reader), !stored.isFinished,
            stored.transaction.isVisible(to: deviceId), stored.transaction.downloads.contains(where: { $0.id == id })
        else { throw StoreError(.notFound, "no such download") }
        return stored
    }

    /// For the service itself, which knows an identifier from its own table.
    static func find(_ id: String, in reader: SQLReader) async throws -> StoredTransaction? {
        try await reader.queryOne("SELECT * FROM payment_transaction WHERE id = ?", id).map(StoredTransaction.init)
    }

    /// The transaction that has taken an interrupted one's place.
    static func successor(
        of id: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> StoredTransaction? {
        try await reader.queryOne(
            """
            SELECT * FROM payment_transaction WHERE supersedes = ? AND bundle_id = ? AND customer_identifier = ?
            """, id, customer.bundleId, customer.customerIdentifier
        ).map(StoredTransaction.init)
    }

    /// The next identifier of a purchased or restored transaction: decimal, and larger than all before it.
    static func nextIdentifier(in transaction: SQLTransaction) async throws -> String {
        "\(try await CounterRepository.next(.transaction, in: transaction) as Int64)"
    }

    /// The next ones of several, growing.
    static func nextIdentifiers(_ count: Int, in transaction: SQLTransaction) async throws -> [String] {
        try await CounterRepository.next(.transaction, count: count, in: transaction).map { "\($0)" }
    }
}
