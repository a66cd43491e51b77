import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// Reads and writes transactions. Every statement for a customer names app and customer.
enum TransactionRepository {
    /// Inserts a transaction.
    /// - Parameter body: The transaction's JSON.
    // Swift 6.3.1 crashes when it optimizes this as a part of its caller.
    @inline(never)
    static func insert(
        _ stored: StoredTransaction, body: String, in transaction: SQLTransaction
    ) async throws {
        var rows = SQLBatch(inserted)
        try append(stored, body: body, to: &rows)
        try await transaction.send(rows)
    }

    /// The rows of new transactions, for ``append(_:body:to:)``.
    static let inserted = SQLBatchStatement.insert(
        into: "payment_transaction",
        [
            "id": .text, "bundle_id": .text, "customer_identifier": .text, "created_seq": .integer,
            "history_seq": .integer, "modified_seq": .integer, "state": .text, "phase": .text,
            "awaits_answer": .integer, "was_deferred": .integer, "revision": .integer, "product_identifier": .text,
            "origin_device_id": .text, "transaction_number": .integer, "supersedes": .text, "terms": .text,
            "quote": .text, "offer_request": .text, "charge_key": .text, "waits_for": .text, "body": .text,
        ])

    /// Adds a new transaction's row.
    /// - Parameter body: The transaction's JSON.
    static func append(_ stored: StoredTransaction, body: String, to rows: inout SQLBatch) throws {
        let value = stored.transaction
        rows.append(
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

    /// Takes the next identifiers of several transactions of an app, in ascending order.
    static func nextIdentifiers(
        _ count: Int, of bundleId: String, in transaction: SQLTransaction
    ) async throws -> [String] {
        try await CounterRepository.next(.transaction, count: count, of: bundleId, in: transaction).map { "\($0)" }
    }
}

extension TransactionRepository {
    /// Reads a device's unfinished transactions after `after`, oldest first.
    ///
    /// They are the customer's purchased and deferred ones, and all others the device itself began.
    static func unfinished(
        of customer: CustomerReference, deviceId: String, after: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND is_finished = 0 AND created_seq > ?
                AND (state IN ('purchased', 'deferred') OR origin_device_id = ?)
            ORDER BY created_seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, deviceId, limit
        ).map(StoredTransaction.init)
    }

    /// Starts to read a device's unfinished transactions as ``unfinished(of:deviceId:after:limit:in:)`` does, for
    /// ``unfinishedJSON(_:)``.
    static func startUnfinishedJSON(
        of customer: CustomerReference, deviceId: String, after: Int64, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.startAll(
            """
            SELECT id, deliveries, body FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND is_finished = 0 AND created_seq > ?
                AND (state IN ('purchased', 'deferred') OR origin_device_id = ?)
            ORDER BY created_seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, deviceId, limit)
    }

    /// Reads a device's unfinished transactions as stored JSON.
    /// - Returns: The JSON, or nil when one has downloads, which each device sees in its own state.
    static func unfinishedJSON(_ started: StartedQuery) async throws(PersistenceError) -> [TransactionJSON]? {
        let rows = try await started.rows()
        var transactions: [TransactionJSON] = []
        transactions.reserveCapacity(rows.count)
        for row in rows {
            guard
                let value = TransactionJSON(
                    id: try row["id"], stored: try row["body"], deliveries: try row["deliveries"])
            else { return nil }
            transactions.append(value)
        }
        return transactions
    }

    /// Reads a device's own purchases in progress between `after` and `through`, oldest first.
    static func underWay(
        of customer: CustomerReference, deviceId: String, after: Int64, through: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND is_finished = 0 AND created_seq > ?
                AND created_seq <= ? AND state = 'purchasing' AND origin_device_id = ?
            ORDER BY created_seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, through, deviceId, limit
        ).map(StoredTransaction.init)
    }

    /// Reads a device's other unfinished transactions between `after` and `through`, oldest first.
    static func ended(
        of customer: CustomerReference, deviceId: String, after: Int64, through: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND is_finished = 0 AND created_seq > ?
                AND created_seq <= ? AND state <> 'purchasing'
                AND (state IN ('purchased', 'deferred') OR origin_device_id = ?)
            ORDER BY created_seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, through, deviceId, limit
        ).map(StoredTransaction.init)
    }

    /// Counts a launch or resume that delivers these transactions (M51).
    static func countDelivery(
        of identifiers: [String], _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        let placeholders = identifiers.map { _ in "?" }.joined(separator: ", ")
        let arguments: [any SQLValueConvertible] = [customer.bundleId, customer.customerIdentifier] + identifiers
        try await transaction.execute(
            """
            UPDATE payment_transaction SET deliveries = deliveries + 1
            WHERE bundle_id = ? AND customer_identifier = ? AND id IN (\(placeholders))
            """, arguments: arguments)
    }

    /// Counts a sign-in prompt for a transaction that is delivered again.
    /// - Returns: The number of prompts, including this one.
    static func countSignIn(
        _ id: String, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        let row = try await transaction.queryOne(
            """
            UPDATE payment_transaction SET sign_ins = sign_ins + 1
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? RETURNING sign_ins
            """, id, customer.bundleId, customer.customerIdentifier)
        return try row?["sign_ins"] ?? 1
    }

    /// Reads purchased and restored transactions after a position, in the order of those events.
    ///
    /// Later transactions are inserted only after the places that were read.
    static func history(
        of customer: CustomerReference, after: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND history_seq > ?
            ORDER BY history_seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, limit
        ).map(StoredTransaction.init)
    }

    /// Reads purchased transactions by their changes, or refunded ones by their refunds.
    ///
    /// - Parameters:
    ///   - after: The position behind which to begin, in the order asked for. Nil for the whole.
    static func modified(
        of customer: CustomerReference, by kind: ModifiedTransactionsRequest.Order, after: Int64?, isDescending: Bool,
        limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        let (position, comparison, order) =
            isDescending ? (after ?? .max, "<", "DESC") : (after ?? 0, ">", "ASC")
        let column =
            switch kind {
            case .changes: "modified_seq"
            case .refunds: "refund_seq"
            }
        return try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND transaction_number IS NOT NULL
                AND \(column) \(comparison) ?
            ORDER BY \(column) \(order) LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, position, limit
        ).map(StoredTransaction.init)
    }

    /// Reads the free copies and restored transactions of a purchase.
    static func copies(
        of value: PaymentTransaction, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        guard let identifier = value.transactionIdentifier else { return [] }
        return try await reader.query(
            """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ? AND history_seq IS NOT NULL
                AND state IN ('purchased', 'restored') AND id <> ?
            ORDER BY history_seq
            """, customer.bundleId, customer.customerIdentifier, value.payment.productIdentifier, value.id
        ).map(StoredTransaction.init).filter { $0.transaction.originalTransactionIdentifier.isExactly(identifier) }
    }

    /// Counts unfinished purchased and restored transactions, up to `limit`.
    static func unfinishedCount(
        of customer: CustomerReference, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        var search = SQLBatch(unfinishedCounts)
        appendSearch(of: customer, limit: limit, to: &search)
        return try await unfinishedCounts(reader.start(search))[customer] ?? 0
    }

    /// The counts of customers' unfinished transactions, for ``appendSearch(of:limit:to:)``.
    static let unfinishedCounts = SQLBatchStatement.query(
        """
        SELECT ? AS bundle_id, ? AS customer_identifier, COUNT(*) AS unfinished FROM (
            SELECT 1 FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND is_finished = 0 AND state IN ('purchased', 'restored')
            LIMIT ?) AS few
        """, .text, .text, .text, .text, .integer)

    /// Adds a customer whose unfinished transactions are counted, up to `limit`.
    static func appendSearch(of customer: CustomerReference, limit: Int, to search: inout SQLBatch) {
        let (app, identifier) = (customer.bundleId, customer.customerIdentifier)
        search.append(app, identifier, app, identifier, limit)
    }

    /// Waits for the counts.
    static func unfinishedCounts(
        _ started: StartedBatch
    ) async throws(PersistenceError) -> [CustomerReference: Int] {
        var counts: [CustomerReference: Int] = [:]
        for row in try await started.rows() { counts[try CustomerReference(row)] = try row["unfinished"] }
        return counts
    }

    /// Reads transactions of all customers for the operator, by identifier and so by age.
    static func list(
        _ request: TransactionListRequest, in reader: SQLReader
    ) async throws -> [(StoredTransaction, account: String)] {
        var filter = OperatorFilter(app: request.bundleId, "t.", after: request.after, by: "id")
        filter.add("c.account = ?", request.account)
        filter.add("t.state = ?", request.state?.rawValue)
        filter.add("t.is_finished = ?", request.isFinished)
        let rows = try await reader.query(
            """
            SELECT t.*, c.account FROM payment_transaction t
            JOIN customer c ON c.bundle_id = t.bundle_id AND c.customer_identifier = t.customer_identifier
            WHERE \(filter.sql) ORDER BY t.id LIMIT ?
            """, arguments: filter.arguments + [request.limit])
        return try rows.map { (try StoredTransaction($0), account: try $0["account"]) }
    }

    /// Reads transactions this service has to bring to their end, by identifier.
    ///
    /// Quarantined ones and those that wait for an answer need a person. Those that wait for another transaction are
    /// listed again after its end.
    static func unsettled(after: String, limit: Int, in reader: SQLReader) async throws(PersistenceError)
        -> [String]
    {
        let rows = try await reader.query(
            "SELECT id FROM payment_transaction WHERE \(isUnsettled) AND id > ? ORDER BY id LIMIT ?", after, limit)
        return try rows.values(of: "id")
    }

    /// The condition of the partial index on open transactions.
    static let isOpen = "phase <> 'settled' AND awaits_answer = 0 AND waits_for IS NULL"

    private static let isUnsettled = "\(isOpen) AND phase <> 'quarantined'"

    /// Claims and reads unsettled transactions without another replica's claim, on PostgreSQL only.
    ///
    /// It claims rows without a claim or with an expired one, by the database's clock, which all replicas share. A
    /// claim that ends far too late was made before the clock was set back. Rows that another replica is claiming at
    /// the moment are skipped.
    static func claimUnsettled(
        _ claims: PurchaseClaims, after: String, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> [String] {
        let now = transaction.dialect.now
        try await transaction.send(
            """
            UPDATE payment_transaction SET claimed_by = ?, claimed_until = \(now) + ?
            WHERE id IN (
                SELECT id FROM payment_transaction
                WHERE \(isUnsettled) AND (
                    claimed_by IS NULL AND claimed_until + ? <= \(now) OR claimed_by <> ? AND claimed_until <= \(now)
                    OR claimed_by = ? AND claimed_until <= \(now) + ? OR claimed_until > \(now) + ?)
                ORDER BY id LIMIT ? \(transaction.dialect.skipLocked))
            """, claims.replica, claims.lease, claims.headStart, claims.replica, claims.replica, claims.lease / 2,
            2 * claims.lease, limit)
        let rows = try await transaction.query(
            """
            SELECT id FROM payment_transaction WHERE \(isUnsettled) AND claimed_by = ? AND id > ? ORDER BY id LIMIT ?
            """, claims.replica, after, limit)
        return try rows.values(of: "id")
    }

    /// Counts quarantined transactions, for the health check.
    static func quarantinedCount(in reader: SQLReader) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS quarantined FROM payment_transaction WHERE \(isOpen) AND phase = 'quarantined'")
        return try row?["quarantined"] ?? 0
    }
}
