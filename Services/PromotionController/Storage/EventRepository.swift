import Persistence
import StoreModels

/// The log of what happened to intents, in the order of the commits.
///
/// On PostgreSQL commits run side by side. There only rows of transactions are read that are older than all that are
/// under way, in the order of the transactions: so whatever is committed later has a place behind everything that was
/// read. A transaction that takes long holds events back for as long.
enum EventRepository {
    /// Rows one call looks at, whether they match or not.
    static let scanMax = 1_000

    /// How far the events are.
    struct Horizon: Hashable, Sendable {
        /// The place behind all that can be read.
        var settled: EventPosition
        /// The place behind all that was begun. On SQLite nothing is begun that is not settled.
        var begun: EventPosition
    }

    static func append(
        _ kind: IntentEvent.Kind, _ intent: PurchaseIntent, of stored: StoredIntent, at wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws {
        try await transaction.send(
            "INSERT INTO intent_event (kind, bundle_id, account, body, written_at) VALUES (?, ?, ?, ?, ?)", kind,
            stored.installation.bundleId, stored.account, try StoredJSON.text(intent), wall.milliseconds)
    }

    static func horizon(in reader: SQLReader) async throws(PersistenceError) -> Horizon {
        guard let row = try await reader.queryOne(reader.dialect.eventHorizon) else {
            throw PersistenceError(.statement, "a SELECT without FROM has no row")
        }
        let last: Int64 = try row["position"]
        return Horizon(
            settled: EventPosition(transaction: try row["settled"], row: last),
            begun: EventPosition(transaction: try row["begun"], row: last))
    }

    /// Up to ``scanMax`` rows behind `after`: those the request asks for, and where the scan ended.
    /// - Returns: no end when there is nothing behind `after`.
    static func events(
        _ request: IntentEventsRequest, after: EventPosition, in reader: SQLReader
    ) async throws -> (events: [(event: IntentEvent, position: EventPosition)], end: EventPosition?) {
        let dialect = reader.dialect
        let rows = try await reader.query(
            """
            SELECT xact, position, kind, bundle_id, account FROM intent_event
            WHERE \(dialect.eventPosition) > \(dialect.eventParameter)\(dialect.eventIsSettled)
            ORDER BY \(dialect.eventOrder) LIMIT ?
            """, arguments: dialect.arguments(after) + [scanMax])
        var matching: [(event: IntentEvent, position: EventPosition)] = []
        for row in rows where try matches(row, request) {
            guard matching.count < request.limit else { break }
            let position = EventPosition(transaction: try row["xact"], row: try row["position"])
            matching.append((try await event(at: position, row, in: reader), position))
        }
        return (
            matching, try rows.last.map { EventPosition(transaction: try $0["xact"], row: try $0["position"]) }
        )
    }

    /// Removes rows written before `wall`, at most `limit`. The last row of all stays, because SQLite numbers on from it.
    static func prune(
        writtenBefore wall: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        try await transaction.execute(
            """
            DELETE FROM intent_event WHERE position IN (
                SELECT position FROM intent_event
                WHERE written_at < ? AND position < (SELECT MAX(position) FROM intent_event)
                ORDER BY written_at LIMIT ?)
            """, wall.milliseconds, limit)
    }

    private static func matches(_ row: SQLRow, _ request: IntentEventsRequest) throws(PersistenceError) -> Bool {
        let (kind, bundleId, account): (IntentEvent.Kind, String, String) = (
            try row["kind"], try row["bundle_id"], try row["account"]
        )
        return request.type ?? kind == kind && request.bundleId ?? bundleId == bundleId
            && request.account ?? account == account
    }

    /// The intent's body is read for what matches only.
    private static func event(
        at position: EventPosition, _ row: SQLRow, in reader: SQLReader
    ) async throws -> IntentEvent {
        let body = try await reader.queryOne("SELECT body FROM intent_event WHERE position = ?", position.row)
        guard let body else { throw StoreError(.internal, "an event has gone while it was read") }
        return IntentEvent(
            id: Identifiers.event(position), type: try row["kind"], bundleId: try row["bundle_id"],
            account: try row["account"], intent: try StoredJSON.value(PurchaseIntent.self, try body["body"]))
    }
}

extension IntentEvent.Kind: SQLValueConvertible {}

extension SQLDialect {
    fileprivate var eventPosition: String { self == .postgres ? "(xact, position)" : "position" }
    fileprivate var eventParameter: String { self == .postgres ? "(?, ?)" : "?" }
    fileprivate var eventOrder: String { self == .postgres ? "xact, position" : "position" }

    fileprivate func arguments(_ position: EventPosition) -> [any SQLValueConvertible] {
        self == .postgres ? [position.transaction, position.row] : [position.row]
    }

    fileprivate var eventIsSettled: String { self == .postgres ? " AND xact < \(oldestTransaction)" : "" }

    private var oldestTransaction: String { "pg_snapshot_xmin(pg_current_snapshot())::text::bigint" }

    /// On PostgreSQL a row number behind all that a transaction may have.
    fileprivate var eventHorizon: String {
        self == .postgres
            ? """
            SELECT \(oldestTransaction) - 1 AS settled, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1 AS begun,
                \(Int64(1) << 60) AS position
            """ : "SELECT 0 AS settled, 0 AS begun, COALESCE(MAX(position), 0) AS position FROM intent_event"
    }
}
