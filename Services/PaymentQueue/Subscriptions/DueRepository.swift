import Persistence
import StoreModels

/// Subscriptions of which something has fallen due, and the charges of their renewals.
enum DueRepository {
    /// A place among what is due, in the order in which it is worked off.
    struct Place: Hashable, Sendable {
        var at: Timestamp
        var originalID: String

        static let start = Place(at: Timestamp(milliseconds: .min), originalID: "")
    }

    /// What is due of an app by `now`, behind a place, in order; what another replica is at is left out.
    static func due(
        of bundleId: String, now: Timestamp, after place: Place, claims: PurchaseClaims, limit: Int,
        in reader: SQLReader
    ) async throws -> [DueSubscription] {
        try await reader.query(
            """
            \(DueSubscription.select)
            WHERE s.bundle_id = ? AND s.due_at IS NOT NULL AND s.due_at <= ? AND (s.due_at, s.original_id) > (?, ?)
                AND \(isFree(reader.dialect))
            ORDER BY s.due_at, s.original_id LIMIT ?
            """, bundleId, now.milliseconds, place.at.milliseconds, place.originalID, claims.replica, limit
        ).map(DueSubscription.init)
    }

    /// Charges under way although nothing is due: an operator was early, or the clock was set back since.
    static func strays(
        of bundleId: String, now: Timestamp, claims: PurchaseClaims, limit: Int, in reader: SQLReader
    ) async throws -> [DueSubscription] {
        // The plus keeps SQLite from looking through all that is due some day, rather than the few under way.
        try await reader.query(
            """
            \(DueSubscription.select)
            WHERE s.attempt IS NOT NULL AND s.bundle_id = ? AND +s.due_at > ? AND \(isFree(reader.dialect)) LIMIT ?
            """, bundleId, now.milliseconds, claims.replica, limit
        ).map(DueSubscription.init)
    }

    /// Charges under way in a scope, without those in quarantine. The scope of one transaction has those of the
    /// subscription that began with it.
    static func attempts(
        _ scope: HistoryScope, limit: Int, in reader: SQLReader
    ) async throws -> [DueSubscription] {
        var condition = "s.bundle_id = ?"
        if scope.customerIdentifier != nil { condition += " AND s.customer_identifier = ?" }
        if scope.transactionID != nil { condition += " AND s.original_id = ?" }
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

    /// The subscription whose first transaction has this identifier.
    static func originalID(
        ofIdentifier identifier: String, in reader: SQLReader
    ) async throws(PersistenceError) -> String? {
        try await reader.queryOne("SELECT original_id FROM subscription WHERE original_identifier = ?", identifier)
            .map { row throws(PersistenceError) in try row["original_id"] }
    }

    /// How many renewals are in quarantine; the health check tells.
    static func quarantinedCount(in reader: SQLReader) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS quarantined FROM subscription WHERE attempt IS NOT NULL AND due_at IS NULL")
        return try row?["quarantined"] ?? 0
    }

    /// The condition of a row this replica may take. A SQLite file has one process, so claims of a dead one are void.
    private static func isFree(_ dialect: SQLDialect) -> String {
        let mine = "s.claimed_by = ?"
        return dialect == .sqlite
            ? "(\(mine) OR 1 = 1)" : "(s.attempt IS NULL OR s.claimed_until <= \(dialect.now) OR \(mine))"
    }

    /// Fixes a charge. From then on the service asks the processor about it until there is an answer. Takes no
    /// customer's lock and skips locked rows: the transaction that holds the row is about to change it, and then the
    /// renewal is decided anew.
    /// - Parameter value: The subscription the decision was made on.
    /// - Returns: Whether the charge is fixed.
    static func fix(
        _ attempt: String, of value: StoredSubscription, _ claims: PurchaseClaims, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let now = transaction.dialect.now
        return try await transaction.execute(
            """
            UPDATE subscription SET attempt = ?, revision = revision + 1, claimed_by = ?, claimed_until = \(now) + ?
            WHERE original_id = (
                SELECT original_id FROM subscription WHERE original_id = ? AND revision = ? AND attempt IS NULL
                \(transaction.dialect.skipLocked))
            """, attempt, claims.replica, claims.lease, value.originalID, value.revision) == 1
    }

    /// Takes over a charge that was fixed, by us before or by a replica whose claim has run out.
    static func claim(
        _ value: StoredSubscription, _ claims: PurchaseClaims, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let now = transaction.dialect.now
        return try await transaction.execute(
            """
            UPDATE subscription SET claimed_by = ?, claimed_until = \(now) + ?
            WHERE original_id = (
                SELECT original_id FROM subscription
                WHERE original_id = ? AND revision = ? AND (claimed_by = ? OR claimed_until <= \(now))
                \(transaction.dialect.skipLocked))
            """, claims.replica, claims.lease, value.originalID, value.revision, claims.replica) == 1
    }
}
