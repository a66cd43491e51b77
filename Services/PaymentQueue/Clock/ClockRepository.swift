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

/// A move of a clock, as stored. A process that finds it unfinished continues it.
struct StoredAdvance: Hashable, Sendable {
    var id: String
    var bundleId: String
    /// The idempotency key, chosen by the client.
    var requestKey: String
    /// The request's fingerprint (``AdvanceGoal/fingerprint(_:)``).
    var fingerprint: String
    /// The app's clock before the move.
    var from: Timestamp
    /// The move's goal. For a move through events, it is the instant the clock has jumped to last.
    var to: Timestamp
    /// The number of remaining jumps to a next event.
    var stepsLeft: Int
    /// The app's last timeline entry before the move.
    var firstEvent: Int64
    /// The app's last timeline entry of the move, or nil until the move ends.
    var lastEvent: Int64?
}

/// Reads and writes moves of clocks. UNIQUE (app, key) makes one key one move.
enum AdvanceRepository {
    static func find(
        key: String, of bundleId: String, in reader: SQLReader
    ) async throws(PersistenceError) -> StoredAdvance? {
        try await reader.queryOne(
            "SELECT * FROM clock_advance WHERE bundle_id = ? AND request_key = ?", bundleId, key
        ).map(StoredAdvance.init)
    }

    static func find(_ id: String, in reader: SQLReader) async throws(PersistenceError) -> StoredAdvance? {
        try await reader.queryOne("SELECT * FROM clock_advance WHERE id = ?", id).map(StoredAdvance.init)
    }

    /// Reads the identifiers of moves that have not ended.
    static func open(limit: Int, in reader: SQLReader) async throws(PersistenceError) -> [String] {
        return try await reader.query(
            "SELECT id FROM clock_advance WHERE last_event IS NULL ORDER BY id LIMIT ?", limit
        ).values(of: "id")
    }

    static func insert(
        _ advance: StoredAdvance, wall: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO clock_advance (id, bundle_id, request_key, fingerprint, from_at, to_at, steps_left, first_event,
                created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, advance.id, advance.bundleId, advance.requestKey, advance.fingerprint, advance.from.milliseconds,
            advance.to.milliseconds, advance.stepsLeft, advance.firstEvent, wall.milliseconds)
    }

    static func update(
        _ advance: StoredAdvance, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE clock_advance SET to_at = ?, steps_left = ?, last_event = ? WHERE id = ?", advance.to.milliseconds,
            advance.stepsLeft, advance.lastEvent, advance.id)
    }

    /// Counts an app's subscriptions with an event due by an instant.
    static func remaining(
        of bundleId: String, through instant: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            """
            SELECT COUNT(*) AS remaining FROM subscription
            WHERE bundle_id = ? AND due_at IS NOT NULL AND due_at <= ?
            """, bundleId, instant.milliseconds)
        return try row?["remaining"] ?? 0
    }
}

extension StoredAdvance {
    fileprivate init(_ row: SQLRow) throws(PersistenceError) {
        self.init(
            id: try row["id"], bundleId: try row["bundle_id"], requestKey: try row["request_key"],
            fingerprint: try row["fingerprint"], from: try row["from_at"],
            to: try row["to_at"], stepsLeft: try row["steps_left"],
            firstEvent: try row["first_event"], lastEvent: try row["last_event"])
    }
}
