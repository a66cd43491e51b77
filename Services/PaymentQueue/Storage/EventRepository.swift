import Persistence
import StoreModels

/// The journal rows of all customers in the order of their commits.
///
/// On PostgreSQL commits run side by side. There only rows of transactions are read that are older than all that are
/// under way, in the order of the transactions: so whatever is committed later has a place behind everything that was
/// read. A transaction that takes long holds events back for as long.
package enum EventRepository {
    /// Rows one call looks at, whether they match or not.
    static let scanMax = 1_000

    /// How far the events are.
    package struct Horizon: Hashable, Sendable {
        /// The place behind all that can be read.
        package var settled: EventPosition
        /// The place behind all that was begun. On SQLite nothing is begun that is not settled.
        package var begun: EventPosition
    }

    package static func horizon(in reader: SQLReader) async throws(PersistenceError) -> Horizon {
        guard let row = try await reader.queryOne(reader.dialect.eventHorizon) else {
            throw PersistenceError(.statement, "a SELECT without FROM has no row")
        }
        let last: Int64 = try row["position"]
        return Horizon(
            settled: EventPosition(transaction: try row["settled"], row: last),
            begun: EventPosition(transaction: try row["begun"], row: last))
    }

    /// Where a scan from behind `after` ends.
    /// - Returns: nil when there is nothing behind it.
    package static func scanEnd(
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
            """, arguments: dialect.arguments(after) + [scanMax]
        ).first
        guard let row else { return nil }
        return EventPosition(transaction: try row["xact"], row: try row["position"])
    }

    /// What the request asks for among the rows behind `after` up to `end`, in order.
    package static func events(
        _ request: EventsRequest, after: EventPosition, through end: EventPosition, in reader: SQLReader
    ) async throws -> [(event: StoreEvent, position: EventPosition)] {
        let dialect = reader.dialect
        var conditions = ["j.event IS NOT NULL"]
        var arguments: [any SQLValueConvertible] = dialect.arguments(after) + dialect.arguments(end) + [scanMax]
        func add(_ condition: String, _ argument: (any SQLValueConvertible)?) {
            guard let argument else { return }
            conditions.append(condition)
            arguments.append(argument)
        }
        add("j.event = ?", request.type)
        add("j.bundle_id = ?", request.bundleId)
        add("c.account = ?", request.account)
        // The inner query has a limit of its own, so that no plan looks at more rows than it allows.
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
            let position = EventPosition(transaction: try row["xact"], row: try row["position"])
            let event = StoreEvent(
                id: Identifiers.event(position), type: try row["event"], bundleId: try row["bundle_id"],
                account: try row["account"],
                transaction: try StoredJSON.value(PaymentTransaction.self, try row["body"]))
            return (event, position)
        }
    }
}

extension SQLDialect {
    fileprivate var eventPosition: String { self == .postgres ? "(xact, position)" : "position" }
    fileprivate var eventParameter: String { self == .postgres ? "(?, ?)" : "?" }
    fileprivate var eventOrder: String { self == .postgres ? "xact, position" : "position" }
    fileprivate var eventOrderBackwards: String { self == .postgres ? "xact DESC, position DESC" : "position DESC" }

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
            """ : "SELECT 0 AS settled, 0 AS begun, COALESCE(MAX(position), 0) AS position FROM journal"
    }
}
