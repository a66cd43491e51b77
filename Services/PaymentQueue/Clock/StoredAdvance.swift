import Persistence
import StoreModels

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
