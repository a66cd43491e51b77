import Persistence

/// A table of events, read in the order of the commits by waiting readers.
///
/// Its rows have `position`, which the database counts on from, and `xact`, on PostgreSQL the number of the transaction
/// that wrote them. On PostgreSQL commits run concurrently. There only rows of transactions older than all active ones
/// are read, in the order of the transactions: so everything committed later has a position after everything that was
/// read. A long transaction holds events back for its whole duration.
///
/// ```swift
/// let dialect = reader.dialect
/// try await reader.query(
///     """
///     SELECT xact, position FROM journal WHERE \(dialect.eventPosition) > \(dialect.eventParameter)
///     \(dialect.eventIsSettled) ORDER BY \(dialect.eventOrder) LIMIT ?
///     """, arguments: dialect.arguments(after) + [limit])
/// ```
package struct EventTable: Sendable {
    /// The places up to which events can be read and have been begun.
    package struct Horizon: Hashable, Sendable {
        /// The place behind all that can be read.
        package var settled: EventPosition
        /// The place behind all that was begun. On SQLite nothing is begun that is not settled.
        package var begun: EventPosition
    }

    /// The most rows one call reads, whether they match or not.
    package static let scanMax = 1_000
    /// How long ``now(in:)`` waits for commits that are under way.
    static let nowTime: Duration = .seconds(1)

    private let name: String

    /// - Parameter name: The table's name, as written in SQL.
    package init(_ name: String) { self.name = name }

    /// Reads the present horizon.
    package func horizon(in reader: SQLReader) async throws(PersistenceError) -> Horizon {
        guard let row = try await reader.queryOne(horizon(reader.dialect)) else {
            throw PersistenceError(.statement, "a SELECT without FROM has no row")
        }
        let last: Int64 = try row["position"]
        return Horizon(
            settled: EventPosition(transaction: try row["settled"], row: last),
            begun: EventPosition(transaction: try row["begun"], row: last))
    }

    /// The present position, which everything committed before does not exceed. Where commits run concurrently it waits
    /// for the active ones, because the reader must not miss one of them, nor get an event twice. It waits a second at
    /// most; after that the reader may get some events twice.
    package func now(in database: any SQLDatabase) async throws -> EventPosition {
        let deadline = ContinuousClock.now + Self.nowTime
        let begun = try await horizon(in: database).begun
        while true {
            let settled = try await horizon(in: database).settled
            if settled >= begun { return begun }
            guard ContinuousClock.now < deadline else { return settled }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    private func horizon(in database: any SQLDatabase) async throws -> Horizon {
        try await database.read { try await horizon(in: $0) }
    }

    /// The query of the horizon. On PostgreSQL its row number is behind all that a transaction may have.
    private func horizon(_ dialect: SQLDialect) -> String {
        dialect == .postgres
            ? """
            SELECT \(dialect.oldestTransaction) - 1 AS settled,
                pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1 AS begun, \(Int64(1) << 60) AS position
            """ : "SELECT 0 AS settled, 0 AS begun, COALESCE(MAX(position), 0) AS position FROM \(name)"
    }
}

extension EventPosition {
    /// The place of a row, from its columns `xact` and `position`.
    package init(_ row: SQLRow) throws(PersistenceError) {
        self.init(transaction: try row["xact"], row: try row["position"])
    }
}

/// Fragments of statements that read an ``EventTable``.
extension SQLDialect {
    /// A row's place, to be compared with ``eventParameter``.
    package var eventPosition: String { self == .postgres ? "(xact, position)" : "position" }
    /// The parameter for a place, whose values are ``arguments(_:)``.
    package var eventParameter: String { self == .postgres ? "(?, ?)" : "?" }
    /// The columns for ORDER BY, the oldest first.
    package var eventOrder: String { self == .postgres ? "xact, position" : "position" }
    /// The columns for ORDER BY, the newest first.
    package var eventOrderBackwards: String { self == .postgres ? "xact DESC, position DESC" : "position DESC" }
    /// The end of a condition, for rows that no other row can come in before.
    package var eventIsSettled: String { self == .postgres ? " AND xact < \(oldestTransaction)" : "" }

    /// The arguments of one ``eventParameter``.
    package func arguments(_ position: EventPosition) -> [any SQLValueConvertible] {
        self == .postgres ? [position.transaction, position.row] : [position.row]
    }

    /// The number of the oldest transaction under way.
    var oldestTransaction: String { "pg_snapshot_xmin(pg_current_snapshot())::text::bigint" }
}
