import Persistence
import StoreModels

/// Reads subscriptions with due events, and claims the charges of their renewals.
enum DueRepository {
    /// A cursor in the order in which due subscriptions are processed.
    struct Cursor: Hashable, Sendable {
        /// When the subscription at this cursor falls due.
        var at: Timestamp
        var originalID: String

        /// The cursor before all others.
        static let start = Cursor(at: Timestamp.earliest, originalID: "")
    }

    /// Reads an app's due subscriptions after a cursor, in order.
    ///
    /// Those another replica works on are left out.
    static func due(
        of bundleId: String, now: Timestamp, after cursor: Cursor, claims: PurchaseClaims, limit: Int,
        in reader: SQLReader
    ) async throws -> [DueSubscription] {
        try await reader.query(
            """
            \(DueSubscription.select)
            WHERE s.bundle_id = ? AND s.due_at IS NOT NULL AND s.due_at <= ? AND (s.due_at, s.original_id) > (?, ?)
                AND \(isFree(reader.dialect))
            ORDER BY s.due_at, s.original_id LIMIT ?
            """, bundleId, now.milliseconds, cursor.at.milliseconds, cursor.originalID, 2 * claims.lease,
            claims.replica,
            limit
        ).map(DueSubscription.init)
    }

    /// Reads charges in progress that are not due. An operator was early, or the clock was set back.
    static func strays(
        of bundleId: String, now: Timestamp, claims: PurchaseClaims, limit: Int, in reader: SQLReader
    ) async throws -> [DueSubscription] {
        // The plus keeps SQLite from scanning all rows that are due some day, instead of the few in progress.
        try await reader.query(
            """
            \(DueSubscription.select)
            WHERE s.attempt IS NOT NULL AND s.bundle_id = ? AND +s.due_at > ? AND \(isFree(reader.dialect)) LIMIT ?
            """, bundleId, now.milliseconds, 2 * claims.lease, claims.replica, limit
        ).map(DueSubscription.init)
    }

    /// Reads the charges in progress of a scope, without those in quarantine.
    ///
    /// The scope of one transaction has those of the subscription that began with it.
    static func attempts(
        _ scope: HistoryScope, limit: Int, in reader: SQLReader
    ) async throws -> [DueSubscription] {
        var condition = "s.bundle_id = ?"
        if scope.customerIdentifier != nil { condition += " AND s.customer_identifier = ?" }
        if scope.transactionID != nil { condition += " AND s.original_id = ?" }
        if scope.deletion != nil { condition += " AND \(HistoryScope.isUnderWay)" }
        return try await reader.query(
            """
            \(DueSubscription.select)
            WHERE s.attempt IS NOT NULL AND s.due_at IS NOT NULL AND \(condition)
            ORDER BY s.original_id LIMIT ?
            """,
            arguments: scope.arguments + [limit]
        ).map(DueSubscription.init)
    }

    static func find(_ originalID: String, in reader: SQLReader) async throws -> DueSubscription? {
        try await reader.queryOne("\(DueSubscription.select) WHERE s.original_id = ?", originalID).map(
            DueSubscription.init)
    }

    /// Counts renewals in quarantine, for the health check.
    static func quarantinedCount(in reader: SQLReader) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS quarantined FROM subscription WHERE attempt IS NOT NULL AND due_at IS NULL")
        return try row?["quarantined"] ?? 0
    }

    /// Returns the condition of a row this replica may take.
    ///
    /// A SQLite file has one process, so claims of a dead one do not count.
    private static func isFree(_ dialect: SQLDialect) -> String {
        let (isOver, mine) = (dialect.isOver("s.claimed_until"), "s.claimed_by = ?")
        return dialect == .sqlite ? "(1 = 1 OR \(isOver) OR \(mine))" : "(s.attempt IS NULL OR \(isOver) OR \(mine))"
    }

    /// Locks the subscriptions whose renewals are still to be decided as they were, until the commit.
    ///
    /// It does not take customers' locks, and leaves out locked rows. A transaction that holds a row is about to change
    /// it, and then the renewal is decided again.
    /// - Parameter values: The subscriptions the decisions were made on.
    /// - Returns: The `originalID`s of those that are.
    static func lock(
        unchanged values: [StoredSubscription], in transaction: SQLTransaction
    ) async throws -> Set<ExactText> {
        var batch = SQLBatch(unfixed)
        for value in values { batch.append(value.originalID, value.revision) }
        let rows = try await transaction.start(batch).rows()
        return Set(try rows.map { ExactText(try $0["original_id"]) })
    }

    private static let unfixed = SQLBatchStatement.query(
        "SELECT original_id FROM subscription WHERE original_id = ? AND revision = ? AND attempt IS NULL",
        lock: .skipping, .text, .integer)

    /// Fixes charges: from then on the service asks the processor about each until it replies.
    /// - Parameter values: Locked subscriptions with their attempt and their next revision.
    static func fix(
        _ values: [StoredSubscription], _ claims: PurchaseClaims, in transaction: SQLTransaction
    ) async throws {
        guard !values.isEmpty else { return }
        let now = transaction.dialect.now
        let instants: [Int64] = try await transaction.query("SELECT \(now) AS now").values(of: "now")
        var batch = SQLBatch(fixed)
        for value in values {
            batch.append(value.attempt, value.revision, claims.replica, instants[0] + claims.lease, value.originalID)
        }
        try await transaction.send(batch)
    }

    private static let fixed = SQLBatchStatement.update(
        "subscription", set: "attempt = ?, revision = ?, claimed_by = ?, claimed_until = ?", where: "original_id = ?",
        .text, .integer, .text, .integer, .text)

    /// Claims a fixed charge that this replica holds, or whose claim has expired.
    /// - Returns: False when another writer was first.
    static func claim(
        _ value: StoredSubscription, _ claims: PurchaseClaims, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let (now, isOver) = (transaction.dialect.now, transaction.dialect.isOver("claimed_until"))
        return try await transaction.execute(
            """
            UPDATE subscription SET claimed_by = ?, claimed_until = \(now) + ?
            WHERE original_id = (
                SELECT original_id FROM subscription
                WHERE original_id = ? AND revision = ? AND (claimed_by = ? OR \(isOver))
                \(transaction.dialect.skipLocked))
            """, claims.replica, claims.lease, value.originalID, value.revision, claims.replica, 2 * claims.lease) == 1
    }
}
