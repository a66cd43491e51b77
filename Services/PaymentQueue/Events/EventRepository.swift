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
    /// - Returns: The position, or nil when no row follows.
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
            SELECT j.xact, j.position, j.event, j.happened_at, j.bundle_id, c.account, j.body FROM (
                SELECT xact, position, event, happened_at, bundle_id, customer_identifier, body FROM journal
                WHERE \(dialect.eventPosition) > \(dialect.eventParameter)
                    AND \(dialect.eventPosition) <= \(dialect.eventParameter)
                ORDER BY \(dialect.eventOrder) LIMIT ?) AS j
            JOIN customer c ON c.bundle_id = j.bundle_id AND c.customer_identifier = j.customer_identifier
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(dialect.eventOrder) LIMIT ?
            """, arguments: arguments + [request.limit])
        return try decode(rows)
    }

    /// Reads events and their places. It is not inlined: within an asynchronous caller Swift 6.3.1's optimizer crashes
    /// on it.
    @inline(never)
    private static func decode(_ rows: [SQLRow]) throws -> [(event: StoreEvent, position: EventPosition)] {
        try rows.map { row in
            let position = try EventPosition(row)
            let event = StoreEvent(
                id: Identifiers.event(position), type: try row["event"],
                at: Timestamp(milliseconds: try row["happened_at"]), bundleId: try row["bundle_id"],
                account: try row["account"],
                transaction: try StoredJSON.value(PaymentTransaction.self, try row["body"]))
            return (event, position)
        }
    }
}

// MARK: The last events

extension EventRepository {
    /// A part of the journal with an index of its last events.
    private enum Part {
        case app(String)
        case customer(CustomerReference)
    }

    /// Reads the last of the requested events up to `end`, newest first.
    ///
    /// An index finds each app's or customer's last events. Only the rows of the overall last events are read.
    static func last(
        _ request: LastEventsRequest, through end: EventPosition, in reader: SQLReader
    ) async throws -> [StoreEvent] {
        let found = try await reader.pipelined(try await parts(request, in: reader)) { part in
            try await startLast(of: part, through: end, limit: request.limit, in: reader)
        } finish: { started in
            try await started.rows().map { try EventPosition($0) }
        }
        let wanted = found.joined().sorted(by: >).prefix(request.limit)
        guard !wanted.isEmpty else { return [] }
        let dialect = reader.dialect
        let placeholders = wanted.map { _ in "?" }.joined(separator: ", ")
        let rows = try await reader.query(
            """
            SELECT j.xact, j.position, j.event, j.happened_at, j.bundle_id, c.account, j.body FROM journal j
            JOIN customer c ON c.bundle_id = j.bundle_id AND c.customer_identifier = j.customer_identifier
            WHERE j.position IN (\(placeholders)) ORDER BY \(dialect.eventOrderBackwards)
            """, arguments: wanted.map(\.row))
        return try decode(rows).map(\.event)
    }

    /// Finds the apps or customers that a request is about.
    private static func parts(_ request: LastEventsRequest, in reader: SQLReader) async throws -> [Part] {
        if let account = request.account {
            return try await CustomerRepository.all(of: account, bundleId: request.bundleId, in: reader)
                .map(Part.customer)
        }
        if let bundleId = request.bundleId { return [.app(bundleId)] }
        var apps: [Part] = []
        var start = ""
        while let row = try await reader.queryOne(nextAppSQL, start) {
            let bundleId: String = try row["bundle_id"]
            if let isolated = IsolatedApp(bundleId) {
                // Behind all isolated stores of the app: `A` is the character after `@`.
                start = isolated.shownBundleId + "A"
            } else {
                apps.append(.app(bundleId))
                // No identifier has this character, the least of all.
                start = bundleId + "\u{1}"
            }
        }
        return apps
    }

    /// Finds the first app with an event at or behind a name, from index `journal_app`.
    static let nextAppSQL = """
        SELECT bundle_id FROM journal WHERE bundle_id >= ? AND event IS NOT NULL ORDER BY bundle_id LIMIT 1
        """

    private static func startLast(
        of part: Part, through end: EventPosition, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        let dialect = reader.dialect
        let bound = dialect == .postgres ? dialect.arguments(end) : []
        switch part {
        case .app(let bundleId):
            return try await reader.startAll(lastOfAppSQL(dialect), arguments: [bundleId] + bound + [limit])
        case .customer(let customer):
            return try await reader.startAll(
                lastOfCustomerSQL(dialect),
                arguments: [customer.bundleId, customer.customerIdentifier] + bound + [limit])
        }
    }

    /// Finds an app's last events from the index `journal_app`.
    static func lastOfAppSQL(_ dialect: SQLDialect) -> String {
        // SQLite's index has no `xact`.
        let xact = dialect == .postgres ? "xact" : "0 AS xact"
        let upToEnd = upToEnd(dialect)
        return """
            SELECT \(xact), position FROM journal WHERE bundle_id = ? AND event IS NOT NULL\(upToEnd)
            ORDER BY \(dialect.eventOrderBackwards) LIMIT ?
            """
    }

    /// Finds a customer's last events from the index of `seq`, the order of their commits.
    static func lastOfCustomerSQL(_ dialect: SQLDialect) -> String {
        let upToEnd = upToEnd(dialect)
        return """
            SELECT xact, position FROM journal
            WHERE bundle_id = ? AND customer_identifier = ? AND event IS NOT NULL\(upToEnd)
            ORDER BY seq DESC LIMIT ?
            """
    }

    /// The end of a condition, for rows up to a place. On SQLite a read ignores rows behind the place it begins with.
    private static func upToEnd(_ dialect: SQLDialect) -> String {
        dialect == .postgres ? " AND (xact, position) <= (?, ?)" : ""
    }
}
