import Persistence
import StoreModels

/// A table of events, read in the order of the commits by waiting readers.
///
/// Its rows have `position INTEGER PRIMARY KEY`, which the engine numbers and never gives twice (``LogNumbers``),
/// `written_at`, and `xact`, on PostgreSQL the number of the transaction that wrote them. On PostgreSQL commits run
/// concurrently. There only rows of transactions older than all active ones are read, in the order of the transactions.
/// So everything committed later has a position after every row that was read. A long transaction holds events back for
/// its whole duration.
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
        /// The place behind all that was begun. On SQLite it is the settled place.
        package var begun: EventPosition
    }

    /// Maximum number of rows that one call reads, whether they match or not.
    package static let scanMax = 1_000
    /// How long ``now(in:)`` waits for commits that are under way.
    static let nowTime: Duration = .seconds(1)

    private let name: String

    /// - Parameter name: The table's name, as written in SQL.
    package init(_ name: String) { self.name = name }

    /// Reads the present horizon.
    package func horizon(in reader: SQLReader) async throws(PersistenceError) -> Horizon {
        guard let row = try await reader.queryOne(horizon(reader.dialect)) else {
            throw PersistenceError(.statement, "'\(name)' is not a log: it has no 'position INTEGER PRIMARY KEY'")
        }
        let last: Int64 = try row["position"]
        return Horizon(
            settled: EventPosition(transaction: try row["settled"], row: last),
            begun: EventPosition(transaction: try row["begun"], row: last))
    }

    /// The present position, which everything committed before does not exceed. If commits run concurrently it waits
    /// for the active ones, so that the reader gets each event exactly once. It waits a second at most. After that the
    /// reader may get some events twice.
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

    // MARK: Positions of readers

    /// Checks a reader's place.
    /// - Throws: `requestInvalid` with a ``PositionFault``, for a place that is ahead of the log, or before removed
    ///   rows.
    package func check(_ after: EventPosition, in reader: SQLReader) async throws {
        if let removed = try await removed(in: reader), after < removed { throw StoreError.position(.removed) }
        guard after <= (try await horizon(in: reader)).begun else { throw StoreError.position(.ahead) }
    }

    /// Reads the place through which rows were removed because of their age. Nil before the first.
    private func removed(in reader: SQLReader) async throws(PersistenceError) -> EventPosition? {
        let row = try await reader.queryOne(
            "SELECT last_xact, last_position FROM log_removed WHERE name = ?", name)
        guard let row else { return nil }
        return EventPosition(transaction: try row["last_xact"], row: try row["last_position"])
    }

    /// Records that rows were removed because of their age, the newest of them at `last`. The record never decreases.
    package func recordRemoval(
        through last: EventPosition, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO log_removed (name, last_xact, last_position) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE
            SET last_xact = excluded.last_xact, last_position = excluded.last_position
            WHERE (excluded.last_xact, excluded.last_position) > (log_removed.last_xact, log_removed.last_position)
            """, name, last.transaction, last.row)
    }

    /// Removes the rows written before `wall` among the oldest `limit`, and records where they end.
    /// - Parameter end: The last row that may be removed. Nil for any.
    /// - Returns: The number of removed rows, which is less than `limit` when no more are that old.
    package func prune(
        writtenBefore wall: Timestamp, through end: EventPosition? = nil, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        let dialect = transaction.dialect
        let condition = end == nil ? "" : "WHERE \(dialect.eventPosition) <= \(dialect.eventParameter)"
        let rows = try await transaction.query(
            """
            DELETE FROM \(name) WHERE position IN (
                SELECT position FROM (
                    SELECT position, written_at FROM \(name) \(condition)
                    ORDER BY \(dialect.eventOrder) LIMIT ?) AS oldest
                WHERE written_at < ?)
            RETURNING xact, position
            """, arguments: (end.map(dialect.arguments) ?? []) + [limit, wall.milliseconds])
        var last: EventPosition?
        for row in rows {
            let position = try EventPosition(row)
            last = last.map { max($0, position) } ?? position
        }
        if let last { try await recordRemoval(through: last, in: transaction) }
        return rows.count
    }

    /// The query of the horizon. On PostgreSQL its row number is behind all that a transaction may have.
    private func horizon(_ dialect: SQLDialect) -> String {
        dialect == .postgres
            ? """
            SELECT \(dialect.oldestTransaction) - 1 AS settled, \(dialect.nextTransaction) - 1 AS begun,
                \(Int64(1) << 60) AS position
            """ : "SELECT 0 AS settled, 0 AS begun, seq AS position FROM sqlite_sequence WHERE name = '\(name)'"
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
    /// The end of a condition, for rows that later commits cannot precede.
    package var eventIsSettled: String { self == .postgres ? " AND xact < \(oldestTransaction)" : "" }

    /// The arguments of one ``eventParameter``.
    package func arguments(_ position: EventPosition) -> [any SQLValueConvertible] {
        self == .postgres ? [position.transaction, position.row] : [position.row]
    }
}
