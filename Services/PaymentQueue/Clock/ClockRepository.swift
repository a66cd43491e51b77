import Persistence
import StoreModels

/// Reads and writes the apps' clocks, one row each.
///
/// A clock is created with the app's first account or by the first request about it.
enum ClockRepository {
    /// Reads an app's clock.
    /// - Returns: Nil for an app without accounts whose clock was never requested.
    static func find(_ bundleId: String, in reader: SQLReader) async throws -> AppClock? {
        try await reader.queryOne("SELECT * FROM app_clock WHERE bundle_id = ?", bundleId).map(AppClock.init)
    }

    /// Creates the clock unless it exists, and locks it until the commit.
    static func lock(
        _ bundleId: String, wall: Timestamp, in transaction: SQLTransaction
    ) async throws -> AppClock {
        try await insert(bundleId, wall: wall, in: transaction)
        guard
            let row = try await transaction.queryOne(
                "SELECT * FROM app_clock WHERE bundle_id = ? \(transaction.dialect.lockRow)", bundleId)
        else { throw StoreError(.internal, "the clock was not written") }
        return try AppClock(row)
    }

    /// Creates the clock as the wall clock, unless it exists.
    static func insert(
        _ bundleId: String, wall: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO app_clock (bundle_id, epoch, anchor_wall, anchor_business, rate_millionths)
            VALUES (?, 1, ?, ?, ?) ON CONFLICT DO NOTHING
            """, bundleId, wall.milliseconds, wall.milliseconds, AppClock.realTime)
    }

    static func set(
        _ clock: AppClock, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            UPDATE app_clock SET epoch = ?, anchor_wall = ?, anchor_business = ?, rate_millionths = ?, rate_name = ?,
                is_frozen = ?
            WHERE bundle_id = ?
            """, clock.epoch, clock.anchorWall.milliseconds, clock.anchorBusiness.milliseconds, clock.rateMillionths,
            clock.rateName, clock.isFrozen, bundleId)
    }

    /// Reads when the app's next event falls due.
    /// - Returns: The instant, or nil when the app has none.
    static func nextEvent(
        of bundleId: String, in reader: SQLReader
    ) async throws(PersistenceError) -> Timestamp? {
        let row = try await reader.queryOne(
            "SELECT MIN(due_at) AS next FROM subscription WHERE bundle_id = ? AND due_at IS NOT NULL", bundleId)
        return try row?["next"]
    }

    /// The apps with due events or work in progress.
    struct Due {
        var apps: [String] = []
        /// The wall time at which another app has something due, if any.
        var next: Timestamp?
    }

    /// Reads which apps have due events, and when the next one falls due.
    static func due(wall: Timestamp, in reader: SQLReader) async throws -> Due {
        let rows = try await reader.query(
            """
            SELECT k.*,
                (SELECT MIN(s.due_at) FROM subscription s
                    WHERE s.bundle_id = k.bundle_id AND s.due_at IS NOT NULL) AS next,
                (SELECT COUNT(*) FROM subscription s
                    WHERE s.attempt IS NOT NULL AND s.due_at IS NOT NULL AND s.bundle_id = k.bundle_id) AS busy
            FROM app_clock k
            """)
        var due = Due()
        for row in rows {
            let (next, busy): (Timestamp?, Int) = (try row["next"], try row["busy"])
            let at = try next.flatMap { try AppClock(row).wall(reaching: $0, from: wall) }
            if busy > 0 || at.map({ $0 <= wall }) == true {
                due.apps.append(try row["bundle_id"])
            } else if let at {
                due.next = min(due.next ?? at, at)
            }
        }
        return due
    }
}

extension AppClock {
    /// Reads a row of `app_clock`, or of a join with it.
    init(_ row: SQLRow) throws(PersistenceError) {
        self.init(
            epoch: try row["epoch"], anchorWall: try row["anchor_wall"], anchorBusiness: try row["anchor_business"],
            rateMillionths: try row["rate_millionths"], rateName: try row["rate_name"],
            isFrozen: try row["is_frozen"])
    }
}
