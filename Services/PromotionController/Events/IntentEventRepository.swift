import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes the log of intent events, in the order of the commits.
enum IntentEventRepository {
    static let table = EventTable("intent_event")

    static func append(
        _ kind: IntentEvent.Kind, _ intent: StorePurchaseIntent, of stored: StoredIntent,
        at now: StorePurchaseIntent.Life.Now, in transaction: SQLTransaction
    ) async throws {
        try await transaction.send(
            """
            INSERT INTO intent_event (kind, bundle_id, account, body, happened_at, written_at)
            VALUES (?, ?, ?, ?, ?, ?)
            """, kind, stored.installation.bundleId, stored.account, try StoredJSON.text(intent),
            now.business.milliseconds, now.wall.milliseconds)
    }

    /// Scans up to ``EventTable/scanMax`` rows after `after` for the requested events.
    static func scan(
        _ request: IntentEventsRequest, after: EventPosition, in reader: SQLReader
    ) async throws -> EventScan<IntentEvent> {
        let dialect = reader.dialect
        let rows = try await reader.query(
            """
            SELECT xact, position, kind, bundle_id, account, happened_at FROM intent_event
            WHERE \(dialect.eventPosition) > \(dialect.eventParameter)\(dialect.eventIsSettled)
            ORDER BY \(dialect.eventOrder) LIMIT ?
            """, arguments: dialect.arguments(after) + [EventTable.scanMax])
        var matching: [(event: IntentEvent, position: EventPosition)] = []
        for row in rows where try matches(row, request) {
            guard matching.count < request.limit else { break }
            let position = try EventPosition(row)
            matching.append((try await event(at: position, row, in: reader), position))
        }
        return EventScan(events: matching, end: try rows.last.map { try EventPosition($0) })
    }

    private static func matches(_ row: SQLRow, _ request: IntentEventsRequest) throws(PersistenceError) -> Bool {
        let (kind, bundleId, account): (IntentEvent.Kind, String, String) = (
            try row["kind"], try row["bundle_id"], try row["account"]
        )
        // What happens in isolated stores is none of the installation's.
        let isOfApp = request.bundleId?.isExactly(bundleId) ?? (IsolatedApp(bundleId) == nil)
        return request.type ?? kind == kind && isOfApp && request.account?.isExactly(account) ?? true
    }

    /// Reads an event. The body is read for matching rows only.
    private static func event(
        at position: EventPosition, _ row: SQLRow, in reader: SQLReader
    ) async throws -> IntentEvent {
        let body = try await reader.queryOne("SELECT body FROM intent_event WHERE position = ?", position.row)
        guard let body else { throw StoreError(.internal, "an event has gone while it was read") }
        return IntentEvent(
            id: PromotionIdentifiers.event(position), type: try row["kind"],
            at: Timestamp(milliseconds: try row["happened_at"]), bundleId: try row["bundle_id"],
            account: try row["account"], intent: try StoredJSON.value(StorePurchaseIntent.self, try body["body"]))
    }
}

extension IntentEvent.Kind: SQLValueConvertible {}
