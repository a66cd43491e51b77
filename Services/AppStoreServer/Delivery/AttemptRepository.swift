import Persistence
import StoreModels

/// The outcome of an attempt.
struct AttemptOutcome: Hashable, Sendable {
    var result: SendAttemptResult
    /// The status of the last response, if the server sent one.
    var httpStatus: Int?
    var durationMs: Int?
    /// The beginning of the response's body, or the cause of the failure.
    var bodyStart: PrintableText?

    init(
        _ result: SendAttemptResult, httpStatus: Int? = nil, durationMs: Int? = nil, bodyStart: PrintableText? = nil
    ) {
        self.result = result
        self.httpStatus = httpStatus
        self.durationMs = durationMs
        self.bodyStart = bodyStart
    }
}

/// Reads and writes attempts.
enum AttemptRepository {
    /// Maximum number of attempts of a notification that are read, the newest ones. Resending makes any number. With
    /// the longest URLs they fit a reply.
    static let shownMax = 64

    /// Writes that an attempt has begun.
    static func begin(
        _ id: String, of position: Int64, number: Int, at instant: Timestamp, to url: String, isLeased: Bool,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            "INSERT INTO attempt (id, position, number, attempted_at, url, is_leased) VALUES (?, ?, ?, ?, ?, ?)", id,
            position, number, instant.milliseconds, url, isLeased)
    }

    static func end(
        _ id: String, _ outcome: AttemptOutcome, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE attempt SET result = ?, http_status = ?, duration_ms = ?, body_start = ?
            WHERE id = ? AND result IS NULL
            """, outcome.result, outcome.httpStatus, outcome.durationMs, outcome.bodyStart?.text, id)
    }

    /// Reads whether an attempt is a listener's, and its business time.
    static func find(
        _ id: String, in reader: SQLReader
    ) async throws(PersistenceError) -> (isLeased: Bool, at: Timestamp, isOver: Bool)? {
        guard
            let row = try await reader.queryOne(
                "SELECT is_leased, attempted_at, result FROM attempt WHERE id = ?", id)
        else { return nil }
        let result: String? = try row["result"]
        return (try row["is_leased"], try row["attempted_at"], result != nil)
    }

    /// Removes an attempt that its process has not ended, so that it can be repeated.
    static func remove(
        _ id: String, of position: Int64, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        // Another replica may have removed it, and begun the next one.
        let isFirst = try await transaction.execute(
            """
            UPDATE notification SET claimed_by = NULL, claimed_until = 0, attempts = attempts - 1
            WHERE position = ? AND claimed_by = ?
            """, position, id)
        guard isFirst == 1 else { return }
        try await transaction.execute("DELETE FROM attempt WHERE id = ? AND result IS NULL", id)
    }

    /// Counts the attempts that have succeeded.
    static func successes(of position: Int64, in reader: SQLReader) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS successes FROM attempt WHERE position = ? AND result = ?", position,
            SendAttemptResult.success)
        return try row?["successes"] ?? 0
    }

    /// Reads the attempts under way over HTTP, each with its notification.
    static func open(in reader: SQLReader) async throws(PersistenceError) -> [(position: Int64, attempt: String)] {
        var found: [(position: Int64, attempt: String)] = []
        for row in try await reader.query(
            """
            SELECT n.position, a.id FROM notification n JOIN attempt a ON a.id = n.claimed_by
            WHERE n.claimed_by IS NOT NULL AND a.is_leased = 0
            """)
        {
            found.append((try row["position"], try row["id"]))
        }
        return found
    }

    /// Reads the newest attempts of notifications, oldest first.
    static func all(
        of positions: [Int64], in reader: SQLReader
    ) async throws(PersistenceError) -> [Int64: [NotificationAttempt]] {
        guard !positions.isEmpty else { return [:] }
        let placeholders = Array(repeating: "?", count: positions.count).joined(separator: ", ")
        let rows = try await reader.query(
            """
            SELECT * FROM (
                SELECT *, ROW_NUMBER() OVER (PARTITION BY position ORDER BY number DESC) AS age
                FROM attempt WHERE position IN (\(placeholders))) AS newest
            WHERE age <= ? ORDER BY position, number
            """, arguments: positions + [Int64(shownMax)])
        var found: [Int64: [NotificationAttempt]] = [:]
        for row in rows {
            var value = NotificationAttempt(attemptDate: try row["attempted_at"], url: try row["url"])
            value.sendAttemptResult = try row["result"]
            value.httpStatus = try row["http_status"]
            value.durationMs = try row["duration_ms"]
            value.bodyStart = try row["body_start"]
            found[try row["position"], default: []].append(value)
        }
        return found
    }
}
