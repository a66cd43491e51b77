import Persistence
import ServiceDatabase
import StoreModels

/// Reads the journal rows of all customers in the order of their commits.
enum EventRepository {
    static let table = EventTable("journal")

    /// Scans up to ``EventTable/scanMax`` rows after `after` for the requested events.
    static func scan(
        _ request: EventsRequest, after: EventPosition, in reader: SQLReader
    ) async throws -> EventScan<StoreEvent> {
        guard let end = try await scanEnd(after: after, in: reader) else { return EventScan() }
        return EventScan(events: try await events(request, after: after, through: end, in: reader), end: end)
    }

    /// Finds the position at which a scan after `after` ends.
    /// - Returns: Nil when no row follows.
    private static func scanEnd(
        after: EventPosition, in reader: SQLReader
    ) async throws(PersistenceError) -> EventPosition? {
        let dialect = reader.dialect
        let row = try await reader.query(
            """
            SELECT xact, position FROM (
                SELECT xact, position FROM journal
                WHERE \(dialect.eventPosition) > \(dialect.eventParameter)\(dialect.eventIsSettled)
                ORDER BY \(dialect.eventOrder) LIMIT ?) AS scanned
            ORDER BY \(dialect.eventOrderBackwards) LIMIT 1
            """, arguments: dialect.arguments(after) + [EventTable.scanMax]
        ).first
        guard let row else { return nil }
        return try EventPosition(row)
    }

    /// Reads the requested events among the rows after `after` up to `end`, in order.
    private static func events(
        _ request: EventsRequest, after: EventPosition, through end: EventPosition, in reader: SQLReader
    ) async throws -> [(event: StoreEvent, position: EventPosition)] {
        let dialect = reader.dialect
        var conditions = ["j.event IS NOT NULL"]
        var arguments = dialect.arguments(after) + dialect.arguments(end)
        arguments.append(EventTable.scanMax)
        func add(_ condition: String, _ argument: (any SQLValueConvertible)?) {
            guard let argument else { return }
            conditions.append(condition)
            arguments.append(argument)
        }
        add("j.event = ?", request.type)
        add("j.bundle_id = ?", request.bundleId)
        // What happens in isolated stores is none of the installation's.
        if request.bundleId == nil { conditions.append("j.bundle_id NOT LIKE '%@%'") }
        add("c.account = ?", request.account)
        // The inner query has its own limit, so that no plan reads more rows than it allows.
        let rows = try await reader.query(
            """
            SELECT j.xact, j.position, j.event, j.bundle_id, c.account, j.body FROM (
                SELECT xact, position, event, bundle_id, customer_identifier, body FROM journal
                WHERE \(dialect.eventPosition) > \(dialect.eventParameter)
                    AND \(dialect.eventPosition) <= \(dialect.eventParameter)
                ORDER BY \(dialect.eventOrder) LIMIT ?) AS j
            JOIN customer c ON c.bundle_id = j.bundle_id AND c.customer_identifier = j.customer_identifier
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(dialect.eventOrder) LIMIT ?
            """, arguments: arguments + [request.limit])
        return try rows.map { row in
            let position = try EventPosition(row)
            let event = StoreEvent(
                id: Identifiers.event(position), type: try row["event"], bundleId: try row["bundle_id"],
                account: try row["account"],
                transaction: try StoredJSON.value(PaymentTransaction.self, try row["body"]))
            return (event, position)
        }
    }
}
