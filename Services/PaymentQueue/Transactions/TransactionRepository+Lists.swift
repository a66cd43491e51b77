import Persistence
import ServiceDatabase
import StoreModels

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
        try await reader.query(
            """
            SELECT id FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND is_finished = 0 AND state IN ('purchased', 'restored')
            LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, limit
        ).count
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
