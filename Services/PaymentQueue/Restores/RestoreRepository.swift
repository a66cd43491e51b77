import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes restores, and reads the originals they bring back.
enum RestoreRepository {
    static func find(_ id: String, of customer: CustomerReference) -> SQLLookup<StoredRestore?> {
        SQLLookup(first: byId, id, customer.bundleId, customer.customerIdentifier) { try StoredRestore($0) }
    }

    private static let byId = SQLBatchStatement.query(
        "SELECT * FROM restore WHERE id = ? AND bundle_id = ? AND customer_identifier = ?", .text, .text, .text)

    static func find(key: String, of customer: CustomerReference) -> SQLLookup<StoredRestore?> {
        SQLLookup(first: byKey, customer.bundleId, customer.customerIdentifier, key) { try StoredRestore($0) }
    }

    private static let byKey = SQLBatchStatement.query(
        "SELECT * FROM restore WHERE bundle_id = ? AND customer_identifier = ? AND request_key = ?",
        .text, .text, .text)

    static func insert(_ stored: StoredRestore, startedSeq: Int64, wall: Timestamp) throws -> SQLChange {
        SQLChange(
            inserted, stored.id, stored.customer.bundleId, stored.customer.customerIdentifier, stored.deviceId,
            stored.requestKey, stored.restore.applicationUsername, stored.restore.state, stored.restore.restored,
            try stored.restore.error.map(StoredJSON.text), stored.throughNumber, stored.lastNumber, startedSeq,
            wall.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "restore",
        [
            "id": .text, "bundle_id": .text, "customer_identifier": .text, "device_id": .text, "request_key": .text,
            "application_username": .text, "state": .text, "restored": .integer, "error": .text,
            "through_number": .integer, "last_number": .integer, "started_seq": .integer, "created_at": .integer,
        ])

    /// Writes a running restore's progress. Does nothing for one that was removed with the customer's history.
    static func advance(_ stored: StoredRestore) -> SQLChange {
        SQLChange(
            advanced, stored.restore.state, stored.restore.restored, stored.lastNumber, stored.id,
            stored.customer.bundleId, stored.customer.customerIdentifier)
    }

    private static let advanced = SQLBatchStatement.update(
        "restore", set: "state = ?, restored = ?, last_number = ?",
        where: "id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'running'",
        .text, .integer, .integer, .text, .text, .text)

    /// Records that a stream of the device has delivered the end.
    /// - Returns: False when the device has no such restore, or it has not ended.
    static func acknowledge(
        _ id: String, of customer: CustomerReference, deviceId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE restore SET is_acknowledged = 1
            WHERE id = ? AND bundle_id = ? AND customer_identifier = ? AND device_id = ? AND state <> 'running'
            """, id, customer.bundleId, customer.customerIdentifier, deviceId) == 1
    }

    /// Reads a device's ended restores whose end no stream has delivered, oldest first.
    static func unacknowledged(
        of customer: CustomerReference, deviceId: String, limit: Int, in reader: SQLReader
    ) async throws -> [Restore] {
        try await reader.query(
            """
            SELECT * FROM restore
            WHERE bundle_id = ? AND customer_identifier = ? AND device_id = ? AND is_acknowledged = 0
                AND state <> 'running'
            ORDER BY started_seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, deviceId, limit
        ).map { try StoredRestore($0).restore }
    }

    /// Reads running restores after `after`, by identifier.
    static func running(after: String, limit: Int, in reader: SQLReader) async throws -> [StoredRestore] {
        try await reader.query(
            "SELECT * FROM restore WHERE state = 'running' AND id > ? ORDER BY id LIMIT ?", after, limit
        ).map(StoredRestore.init)
    }

    /// Reads the number of the customer's last purchased or restored transaction.
    /// - Returns: 0 before the first.
    static func lastNumber(of customer: CustomerReference) -> SQLLookup<Int64> {
        SQLLookup(last, customer.bundleId, customer.customerIdentifier) { rows in
            try rows.first.flatMap { try $0["transaction_number"] as Int64? } ?? 0
        }
    }

    private static let last = SQLBatchStatement.query(lastSQL, .text, .text)
    static let lastSQL = """
        SELECT MAX(transaction_number) AS transaction_number FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND transaction_number IS NOT NULL
        """

    /// An original with its subscription's state and access end, which are nil for a non-consumable.
    struct Original: Sendable {
        var stored: StoredTransaction
        /// The end of the subscription's access.
        var activeUntil: Timestamp?
        var state: SubscriptionState?
    }

    /// Reads the first transactions of a customer's products and subscriptions, in the order of purchase. Those that
    /// the family shares are among them.
    ///
    /// Their numbers are after `after`, up to `through`.
    static func originals(
        of customer: CustomerReference, after: Int64, through: Int64, limit: Int
    ) -> SQLLookup<[Original]> {
        let (app, identifier) = (customer.bundleId, customer.customerIdentifier)
        return SQLLookup(
            all: originalRows, app, identifier, app, identifier, app, identifier, app, identifier, after, through,
            limit
        ) { row in
            Original(
                stored: try StoredTransaction(row), activeUntil: try row["active_until"],
                state: try row["subscription_state"])
        }
    }

    private static let originalRows = SQLBatchStatement.query(
        """
        SELECT t.*, o.active_until, o.subscription_state FROM (
            SELECT transaction_id AS id, CAST(NULL AS BIGINT) AS active_until,
                CAST(NULL AS TEXT) AS subscription_state
            FROM owned_product WHERE bundle_id = ? AND customer_identifier = ?
            UNION ALL
            SELECT original_id AS id, active_until, state AS subscription_state FROM subscription
            WHERE bundle_id = ? AND customer_identifier = ?
            UNION ALL
            SELECT s.original_id AS id, u.active_until, u.state AS subscription_state
            FROM shared_purchase s
            LEFT JOIN subscription u ON u.original_id = s.buyer_original AND u.active_id = s.buyer_transaction
            WHERE s.bundle_id = ? AND s.customer_identifier = ? AND s.is_revoked = 0
                AND (s.buyer_original IS NULL OR u.state IS NOT NULL)) AS o
        JOIN payment_transaction t ON t.id = o.id
        WHERE t.bundle_id = ? AND t.customer_identifier = ?
            AND t.transaction_number > ? AND t.transaction_number <= ?
        ORDER BY t.transaction_number LIMIT ?
        """, .text, .text, .text, .text, .text, .text, .text, .text, .integer, .integer, .integer)
}

/// A restore's row: the restore as its device sees it, and its progress.
struct StoredRestore: Hashable, Sendable {
    var customer: CustomerReference
    /// The only device that is notified.
    var deviceId: String
    /// The idempotency key, chosen by the client.
    var requestKey: String
    var restore: Restore
    /// The last transaction number of the restore. Later originals were purchased after it began.
    var throughNumber: Int64
    /// The transaction number of the last restored original. 0 before the first.
    var lastNumber: Int64

    var id: String { restore.restoreIdentifier }
}

extension StoredRestore {
    init(_ row: SQLRow) throws {
        let error: String? = try row["error"]
        self.init(
            customer: try CustomerReference(row),
            deviceId: try row["device_id"], requestKey: try row["request_key"],
            restore: Restore(
                restoreIdentifier: try row["id"], state: try row["state"],
                error: try error.map { try StoredJSON.value(TransactionError.self, $0) }, restored: try row["restored"],
                applicationUsername: try row["application_username"]),
            throughNumber: try row["through_number"], lastNumber: try row["last_number"])
    }
}

extension Restore.State: SQLValueConvertible {}
