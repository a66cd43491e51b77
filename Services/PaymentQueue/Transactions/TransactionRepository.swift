import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// Reads and writes transactions. Every statement for a customer names app and customer.
enum TransactionRepository {
    /// Inserts a transaction.
    /// - Parameter body: The transaction's JSON.
    static func insert(
        _ stored: StoredTransaction, body: String, in transaction: SQLTransaction
    ) async throws {
        let value = stored.transaction
        try await transaction.send(
            """
            INSERT INTO payment_transaction (id, bundle_id, customer_identifier, created_seq, history_seq, modified_seq,
                state, phase, awaits_answer, was_deferred, revision, product_identifier, origin_device_id,
                transaction_number, supersedes, terms, quote, offer_request, charge_key, waits_for, body)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            value.id, stored.customer.bundleId, stored.customer.customerIdentifier, stored.createdSeq,
            stored.historySeq, stored.modifiedSeq, value.transactionState.rawValue, stored.phase, stored.awaitsAnswer,
            stored.wasDeferred, value.revision,
            value.payment.productIdentifier, value.originDeviceId, value.transactionIdentifier.flatMap(Int64.init),
            value.supersedes, try stored.terms.map(StoredJSON.text), try stored.quote.map(StoredJSON.text),
            try stored.request.map(StoredJSON.text), stored.chargeKey, stored.obstacle?.id, body)
    }

    /// Writes a purchased or restored transaction's next revision, after a refund or an upgrade.
    /// - Returns: False when the row was not at the revision before, and nothing is written.
    static func rewrite(
        _ stored: StoredTransaction, body: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let (value, customer) = (stored.transaction, stored.customer)
        return try await transaction.execute(
            """
            UPDATE payment_transaction SET revision = ?, modified_seq = ?, refund_seq = ?, body = ?
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND state IN ('purchased', 'restored')
                AND revision = ?
            """, value.revision, stored.modifiedSeq, stored.refundSeq, body, value.id, customer.bundleId,
            customer.customerIdentifier, value.revision - 1) == 1
    }

    /// Writes the next state of `known`, which may have been read before this commit.
    /// - Parameter body: The transaction's JSON.
    /// - Returns: Whether the row was still equal to `known`. False means another writer was first and nothing is
    ///   written.
    static func advance(
        _ stored: StoredTransaction, body: String, from known: StoredTransaction, in transaction: SQLTransaction
    ) async throws -> Bool {
        let value = stored.transaction
        // What was agreed mostly stays, and is not written again.
        let keepsTerms = stored.terms == known.terms && stored.quote == known.quote
        let terms: [any SQLValueConvertible] =
            keepsTerms ? [] : [try stored.terms.map(StoredJSON.text), try stored.quote.map(StoredJSON.text)]
        return try await transaction.execute(
            """
            UPDATE payment_transaction
            SET state = ?, phase = ?, awaits_answer = ?, was_deferred = ?, is_finished = ?, revision = ?,
                transaction_number = ?, history_seq = ?, modified_seq = ?, waits_for = NULL, body = ?
                \(keepsTerms ? "" : ", terms = ?, quote = ?")
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND state = ? AND revision = ? AND phase = ?
                AND awaits_answer = ?
            """,
            arguments: [
                value.transactionState.rawValue, stored.phase, stored.awaitsAnswer, stored.wasDeferred,
                stored.isFinished, value.revision, value.transactionIdentifier.flatMap(Int64.init), stored.historySeq,
                stored.modifiedSeq, body,
            ] + terms + [
                value.id, stored.customer.bundleId, stored.customer.customerIdentifier,
                known.transaction.transactionState.rawValue, known.transaction.revision, known.phase,
                known.awaitsAnswer,
            ]) == 1
    }

    /// Writes a transaction's phase, and whether it waits for an answer. Its state stays.
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

    /// Writes the obstacle a purchase waits for.
    static func setWaitsFor(
        of stored: StoredTransaction, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE payment_transaction SET waits_for = ?
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND phase = 'waiting'
            """, stored.obstacle?.id, stored.id, stored.customer.bundleId, stored.customer.customerIdentifier)
    }

    /// Releases the purchases that wait for a transaction.
    static func release(
        waitingFor id: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE payment_transaction SET waits_for = NULL
            WHERE waits_for = ? AND bundle_id = ? AND customer_identifier = ?
            """, id, customer.bundleId, customer.customerIdentifier)
    }

    /// Removes a transaction from the queue.
    /// - Returns: False when it was finished before.
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

    /// Reads a customer's transaction by `id` or, for digits, by `transactionIdentifier`.
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

    /// Reads the transaction that an operator names by `id` or, for digits, by `transactionIdentifier`.
    /// - Returns: Nil also for a transaction of another scope.
    /// - Throws: `requestInvalid` for a number that several apps of the scope have given.
    static func find(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> StoredTransaction? {
        var apps = named.scope.condition()
        if PlantedBug.isActive(.scopeDropped) { apps = ("bundle_id <> ?", [""]) }
        let found = try await find(named.id, apps, limit: 2, in: reader)
        guard found.count < 2 else {
            let all = found.map { "\($0.id) of \($0.customer.bundleId)" }.joined(separator: " and ")
            throw StoreError(.requestInvalid, "transaction '\(named.id)' is \(all); name one by its 't_' identifier")
        }
        return found.first
    }

    /// Reads the transaction of any of an app's customers.
    /// - Returns: Nil also for another app's transaction.
    static func find(
        identifier text: String, ofApp bundleId: String, in reader: SQLReader
    ) async throws -> StoredTransaction? {
        try await find(text, ("bundle_id = ?", [bundleId]), limit: 1, in: reader).first
    }

    private static func find(
        _ text: String, _ apps: (sql: String, arguments: [any SQLValueConvertible]), limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let rows =
            if let number = Identifiers.transactionNumber(text) {
                try await reader.query(
                    "SELECT * FROM payment_transaction WHERE transaction_number = ? AND \(apps.sql) LIMIT ?",
                    arguments: [number] + apps.arguments + [limit])
            } else {
                try await reader.query(
                    "SELECT * FROM payment_transaction WHERE id = ? AND \(apps.sql) LIMIT ?",
                    arguments: [text] + apps.arguments + [limit])
            }
        return try rows.map(StoredTransaction.init)
    }

    /// Reads the transaction of a download, while it is in the queue.
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

    /// Reads the transaction that has replaced an interrupted one.
    static func successor(
        of id: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> StoredTransaction? {
        try await reader.queryOne(
            """
            SELECT * FROM payment_transaction WHERE supersedes = ? AND bundle_id = ? AND customer_identifier = ?
            """, id, customer.bundleId, customer.customerIdentifier
        ).map(StoredTransaction.init)
    }

    /// Takes the next identifier of a purchased or restored transaction: decimal, and larger than all before.
    static func nextIdentifier(of bundleId: String, in transaction: SQLTransaction) async throws -> String {
        guard let identifier = try await nextIdentifiers(1, of: bundleId, in: transaction).first else {
            preconditionFailure("a counter gives as many numbers as it is asked for")
        }
        return identifier
    }

    /// Starts to take the next identifier, if that saves a round trip.
    ///
    /// An unused number leaves a gap, as do the numbers of rolled-back transactions on PostgreSQL.
    /// - Returns: The query, or nil if the identifier is taken when it is needed.
    static func startNextIdentifier(
        of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> StartedQuery? {
        guard IsolatedApp(bundleId) == nil else { return nil }
        return try await CounterRepository.startNext(.transaction, in: transaction)
    }

    /// Takes the next identifier.
    /// - Parameter started: The query of ``startNextIdentifier(of:in:)``.
    static func nextIdentifier(
        of bundleId: String, started: StartedQuery?, in transaction: SQLTransaction
    ) async throws -> String {
        guard let started else { return try await nextIdentifier(of: bundleId, in: transaction) }
        guard let number: Int64 = try await started.first()?["value"] else {
            preconditionFailure("a counter gives as many numbers as it is asked for")
        }
        return "\(number)"
    }

    /// Takes the next identifiers of several transactions of an app, in ascending order.
    static func nextIdentifiers(
        _ count: Int, of bundleId: String, in transaction: SQLTransaction
    ) async throws -> [String] {
        try await CounterRepository.next(.transaction, count: count, of: bundleId, in: transaction).map { "\($0)" }
    }
}
