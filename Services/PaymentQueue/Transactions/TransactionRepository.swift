import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// Reads and writes transactions. Every statement for a customer names app and customer.
enum TransactionRepository {
    /// Inserts a transaction.
    /// - Parameter body: The transaction's JSON.
    static func insert(_ stored: StoredTransaction, body: String) throws -> SQLChange {
        let value = stored.transaction
        let payment = stored.fingerprint == nil ? nil : value.payment
        let key = PlantedBug.isActive(.noDeduplication) ? payment.map { _ in value.id } : payment?.requestIdentifier
        return SQLChange(
            inserted, value.id, stored.customer.bundleId, stored.customer.customerIdentifier, stored.createdSeq,
            stored.historySeq, stored.modifiedSeq, value.transactionState.rawValue, stored.phase, stored.awaitsAnswer,
            stored.wasDeferred, value.revision, value.payment.productIdentifier, value.originDeviceId,
            value.transactionIdentifier.flatMap(Int64.init), value.supersedes, try stored.terms.map(StoredJSON.text),
            try stored.quote.map(StoredJSON.text), try stored.request.map(StoredJSON.text), stored.chargeKey,
            key, stored.fingerprint, payment?.intentIdentifier, stored.obstacle?.id, stored.listedType?.rawValue, body)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "payment_transaction",
        [
            "id": .text, "bundle_id": .text, "customer_identifier": .text, "created_seq": .integer,
            "history_seq": .integer, "modified_seq": .integer, "state": .text, "phase": .text,
            "awaits_answer": .integer, "was_deferred": .integer, "revision": .integer, "product_identifier": .text,
            "origin_device_id": .text, "transaction_number": .integer, "supersedes": .text, "terms": .text,
            "quote": .text, "offer_request": .text, "charge_key": .text, "request_key": .text,
            "fingerprint": .text, "intent_identifier": .text, "waits_for": .text, "listed_type": .text, "body": .text,
        ])

    /// Writes a purchased or restored transaction's next revision, after a refund or an upgrade.
    /// - Parameter body: The transaction's JSON.
    static func rewrite(_ stored: StoredTransaction, body: String) -> SQLChange {
        SQLChange(
            rewritten, stored.transaction.revision, stored.modifiedSeq, stored.refundSeq,
            stored.transaction.revocationDate != nil, body, stored.id, stored.customer.bundleId,
            stored.customer.customerIdentifier, stored.transaction.revision - 1, changes: 1)
    }

    private static let rewritten = SQLBatchStatement.update(
        "payment_transaction", set: "revision = ?, modified_seq = ?, refund_seq = ?, is_taken_back = ?, body = ?",
        where: "\(key) AND state IN ('purchased', 'restored') AND revision = ?",
        .integer, .integer, .integer, .integer, .text, .text, .text, .text, .integer)

    /// Writes the next state of a transaction.
    /// - Parameters:
    ///   - body: The transaction's JSON.
    ///   - known: The transaction as it was.
    static func advance(
        _ stored: StoredTransaction, body: String, from known: StoredTransaction
    ) throws -> SQLChange {
        let (value, customer, before) = (stored.transaction, stored.customer, known.transaction)
        let number = value.transactionIdentifier.flatMap(Int64.init)
        let listed = stored.listedType?.rawValue
        // What was agreed mostly stays, and is not written again.
        guard stored.terms != known.terms || stored.quote != known.quote else {
            return SQLChange(
                advanced, value.transactionState.rawValue, stored.phase, stored.awaitsAnswer, stored.wasDeferred,
                stored.isFinished, value.revision, number, stored.historySeq, stored.modifiedSeq, listed, body,
                stored.id, customer.bundleId, customer.customerIdentifier, before.transactionState.rawValue,
                before.revision, known.phase, known.awaitsAnswer, changes: 1)
        }
        return SQLChange(
            advancedWithTerms, value.transactionState.rawValue, stored.phase, stored.awaitsAnswer, stored.wasDeferred,
            stored.isFinished, value.revision, number, stored.historySeq, stored.modifiedSeq, listed, body,
            try stored.terms.map(StoredJSON.text), try stored.quote.map(StoredJSON.text), stored.id,
            customer.bundleId, customer.customerIdentifier, before.transactionState.rawValue, before.revision,
            known.phase, known.awaitsAnswer, changes: 1)
    }

    private static let advanced = SQLBatchStatement.update(
        "payment_transaction", set: advancedColumns, where: advancedKey,
        .text, .text, .integer, .integer, .integer, .integer, .integer, .integer, .integer, .text, .text,
        .text, .text, .text, .text, .integer, .text, .integer)
    private static let advancedWithTerms = SQLBatchStatement.update(
        "payment_transaction", set: "\(advancedColumns), terms = ?, quote = ?", where: advancedKey,
        .text, .text, .integer, .integer, .integer, .integer, .integer, .integer, .integer, .text, .text, .text, .text,
        .text, .text, .text, .text, .integer, .text, .integer)
    private static let advancedColumns = """
        state = ?, phase = ?, awaits_answer = ?, was_deferred = ?, is_finished = ?, revision = ?, \
        transaction_number = ?, history_seq = ?, modified_seq = ?, listed_type = ?, waits_for = NULL, \
        body = ?
        """
    private static let advancedKey = "\(key) AND state = ? AND revision = ? AND phase = ? AND awaits_answer = ?"
    /// The condition on one transaction of a customer.
    private static let key = "id = ? AND bundle_id = ? AND customer_identifier = ?"

    /// Writes a transaction's phase, and whether it waits for an answer. Its state stays.
    static func setPhase(of stored: StoredTransaction) -> SQLChange {
        SQLChange(
            phased, stored.phase, stored.awaitsAnswer, stored.id, stored.customer.bundleId,
            stored.customer.customerIdentifier, stored.transaction.transactionState.rawValue, changes: 1)
    }

    private static let phased = SQLBatchStatement.update(
        "payment_transaction", set: "phase = ?, awaits_answer = ?", where: "\(key) AND state = ?",
        .text, .integer, .text, .text, .text, .text)

    /// Writes the obstacle a waiting purchase waits for.
    static func setWaitsFor(of stored: StoredTransaction) -> SQLChange {
        SQLChange(
            waitsFor, stored.obstacle?.id, stored.id, stored.customer.bundleId, stored.customer.customerIdentifier,
            changes: 1)
    }

    private static let waitsFor = SQLBatchStatement.update(
        "payment_transaction", set: "waits_for = ?", where: "\(key) AND phase = 'waiting'", .text, .text, .text, .text)

    /// Releases the purchases that wait for a transaction.
    static func release(waitingFor id: String, of customer: CustomerReference) -> SQLChange {
        SQLChange(released, id, customer.bundleId, customer.customerIdentifier)
    }

    private static let released = SQLBatchStatement.update(
        "payment_transaction", set: "waits_for = NULL",
        where: "waits_for = ? AND bundle_id = ? AND customer_identifier = ?", .text, .text, .text)

    /// Removes an unfinished transaction from the queue.
    static func markFinished(_ id: String, of customer: CustomerReference) -> SQLChange {
        SQLChange(finished, id, customer.bundleId, customer.customerIdentifier, changes: 1)
    }

    private static let finished = SQLBatchStatement.update(
        "payment_transaction", set: "is_finished = 1", where: "\(key) AND is_finished = 0", .text, .text, .text)

    /// Looks for a customer's transaction. Decisions ask ``CustomerState/transaction(_:)``.
    static func find(_ id: String, of customer: CustomerReference) -> SQLLookup<StoredTransaction?> {
        SQLLookup(first: byID, id, customer.bundleId, customer.customerIdentifier) { try StoredTransaction($0) }
    }

    private static let byID = SQLBatchStatement.query(
        "SELECT * FROM payment_transaction WHERE \(key)", .text, .text, .text)

    /// Looks for a customer's transaction by `id` or, for digits, by `transactionIdentifier`.
    static func find(
        identifier text: String, of customer: CustomerReference
    ) -> SQLLookup<StoredTransaction?> {
        guard let number = Identifiers.transactionNumber(text) else { return find(text, of: customer) }
        return SQLLookup(first: byNumber, number, customer.bundleId, customer.customerIdentifier) {
            try StoredTransaction($0)
        }
    }

    private static let byNumber = SQLBatchStatement.query(
        """
        SELECT * FROM payment_transaction
        WHERE transaction_number = ? AND bundle_id = ? AND customer_identifier = ?
        """, .integer, .text, .text)

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

    /// Looks for the transaction of a download, while it is in the queue.
    ///
    /// The answer's error is `notFound`, also for another customer's, for one this device does not see, and after its
    /// finish.
    static func download(
        _ id: String, of customer: CustomerReference, deviceId: String
    ) -> SQLLookup<StoredTransaction> {
        find(Identifiers.transaction(ofDownload: id) ?? "", of: customer).map { found in
            guard let stored = found, !stored.isFinished, stored.transaction.isVisible(to: deviceId),
                stored.transaction.downloads.contains(where: { $0.id == id })
            else { throw StoreError(.notFound, "no such download") }
            return stored
        }
    }

    /// Looks for the transaction that has replaced an interrupted one.
    static func successor(of id: String, _ customer: CustomerReference) -> SQLLookup<StoredTransaction?> {
        SQLLookup(first: superseding, id, customer.bundleId, customer.customerIdentifier) { try StoredTransaction($0) }
    }

    private static let superseding = SQLBatchStatement.query(
        "SELECT * FROM payment_transaction WHERE supersedes = ? AND bundle_id = ? AND customer_identifier = ?",
        .text, .text, .text)
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

    /// Counts a launch or resume that delivers these transactions (M51). Skips those that were deleted.
    static func countDelivery(of identifiers: [String], _ customer: CustomerReference) -> [SQLChange] {
        identifiers.map { SQLChange(delivered, $0, customer.bundleId, customer.customerIdentifier) }
    }

    private static let delivered = SQLBatchStatement.update(
        "payment_transaction", set: "deliveries = deliveries + 1", where: key, .text, .text, .text)

    /// Looks for the number of sign-in prompts for a transaction, in the row of ``find(_:of:)``.
    static func signInCount(_ id: String, of customer: CustomerReference) -> SQLLookup<Int?> {
        SQLLookup(first: byID, id, customer.bundleId, customer.customerIdentifier) { try $0["sign_ins"] as Int }
    }

    /// Counts a sign-in prompt for a transaction that is delivered again.
    static func countSignIn(_ id: String, of customer: CustomerReference) -> SQLChange {
        SQLChange(signedIn, id, customer.bundleId, customer.customerIdentifier, changes: 1)
    }

    private static let signedIn = SQLBatchStatement.update(
        "payment_transaction", set: "sign_ins = sign_ins + 1", where: key, .text, .text, .text)

    /// Looks for purchased and restored transactions after a position, in the order of those events.
    ///
    /// Later transactions are inserted only after the places that were read.
    static func history(
        of customer: CustomerReference, after: Int64, limit: Int
    ) -> SQLLookup<[StoredTransaction]> {
        SQLLookup(all: inHistory, customer.bundleId, customer.customerIdentifier, after, limit) {
            try StoredTransaction($0)
        }
    }

    private static let inHistory = SQLBatchStatement.query(
        """
        SELECT * FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND history_seq > ?
        ORDER BY history_seq LIMIT ?
        """, .text, .text, .integer, .integer)

    /// Reads purchased transactions by their changes, or refunded ones by their refunds.
    ///
    /// - Parameters:
    ///   - after: The position behind which to begin, in the order asked for. Nil for the whole.
    static func modified(
        of customer: CustomerReference, by kind: ModifiedTransactionsRequest.Order, after: Int64?, isDescending: Bool,
        limit: Int, in reader: SQLReader
    ) async throws -> [StoredTransaction] {
        try await reader.query(
            modifiedSQL(by: kind, isDescending: isDescending), customer.bundleId, customer.customerIdentifier,
            after ?? (isDescending ? .max : 0), limit
        ).map(StoredTransaction.init)
    }

    static func modifiedSQL(by kind: ModifiedTransactionsRequest.Order, isDescending: Bool) -> String {
        let column =
            switch kind {
            case .changes: "modified_seq"
            case .refunds: "refund_seq"
            }
        return """
            SELECT * FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND transaction_number IS NOT NULL
                AND \(column) \(isDescending ? "<" : ">") ?
            ORDER BY \(column) \(isDescending ? "DESC" : "ASC") LIMIT ?
            """
    }

    /// Looks for the free copies and restored transactions of a purchase.
    static func copies(
        of value: PaymentTransaction, _ customer: CustomerReference
    ) -> SQLLookup<[StoredTransaction]> {
        let identifier = value.transactionIdentifier
        return SQLLookup(
            all: ofProduct, customer.bundleId, customer.customerIdentifier, value.payment.productIdentifier, value.id
        ) {
            try StoredTransaction($0)
        }.map { found in
            guard let identifier else { return [] }
            return found.filter { $0.transaction.originalTransactionIdentifier.isExactly(identifier) }
        }
    }

    private static let ofProduct = SQLBatchStatement.query(
        """
        SELECT * FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ? AND history_seq IS NOT NULL
            AND state IN ('purchased', 'restored') AND id <> ?
        ORDER BY history_seq
        """, .text, .text, .text, .text)

    /// Counts unfinished purchased and restored transactions, up to `limit`.
    static func unfinishedCount(of customer: CustomerReference, limit: Int) -> SQLLookup<Int> {
        SQLLookup(unfinishedCounts, customer.bundleId, customer.customerIdentifier, limit) { rows in
            try rows.first?["unfinished"] ?? 0
        }
    }

    private static let unfinishedCounts = SQLBatchStatement.query(
        """
        SELECT COUNT(*) AS unfinished FROM (
            SELECT 1 FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND is_finished = 0 AND state IN ('purchased', 'restored')
            LIMIT ?) AS few
        """, .text, .text, .integer)

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
        // Materialized: otherwise PostgreSQL may run the selection again for each row, and claim more.
        try await transaction.send(
            """
            WITH free AS MATERIALIZED (
                SELECT id FROM payment_transaction
                WHERE \(isUnsettled) AND (
                    claimed_by IS NULL AND claimed_until + ? <= \(now) OR claimed_by <> ? AND claimed_until <= \(now)
                    OR claimed_by = ? AND claimed_until <= \(now) + ? OR claimed_until > \(now) + ?)
                ORDER BY id LIMIT ? \(transaction.dialect.skipLocked))
            UPDATE payment_transaction SET claimed_by = ?, claimed_until = \(now) + ?
            WHERE id IN (SELECT id FROM free)
            """, claims.headStart, claims.replica, claims.replica, claims.lease / 2, 2 * claims.lease, limit,
            claims.replica, claims.lease)
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
