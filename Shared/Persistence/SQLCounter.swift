/// Numbers that only grow, by name. They are a row of the table `counter (name, value)` on SQLite, a sequence on
/// PostgreSQL.
///
/// A row on PostgreSQL would make all writers of a store wait for one another's flush. SQLite has one writer anyway, so
/// its numbers are in the order of the commits and none is missing; PostgreSQL's are in the order of the requests, and
/// numbers of rolled-back transactions are missing.
package struct SQLCounter: Hashable, Sendable {
    /// `transaction`, with a migration that names it among its `counters`.
    package let name: String

    /// Names a counter; the migration makes it.
    package init(_ name: String) { self.name = name }

    static func sequence(_ name: String) -> String { "counter_\(name)" }

    /// The next `count` numbers, growing; without gaps on SQLite only.
    /// - Throws: `statement` for a counter that no migration has made.
    package func next(_ count: Int = 1, in transaction: SQLTransaction) async throws(PersistenceError) -> [Int64] {
        switch transaction.dialect {
        case .sqlite:
            // Two statements cost less than RETURNING, for which SQLite makes and removes a table in memory.
            try await transaction.execute("UPDATE counter SET value = value + ? WHERE name = ?", count, name)
            let last = try await last(in: transaction)
            return (0..<count).map { last - Int64(count - 1 - $0) }
        case .postgres:
            var numbers: [Int64] = []
            for row in try await transaction.query(nextSQL, count) { numbers.append(try row["value"]) }
            return numbers
        }
    }

    /// Sorted, because the server may hand them out to rows in any order.
    private var nextSQL: String {
        "SELECT nextval('\(Self.sequence(name))') AS value FROM generate_series(1, ?) ORDER BY value"
    }

    /// Starts to take the next number, so that it shares a round trip.
    /// - Returns: A query with the column `value`; nil on SQLite, which has no round trips.
    package func startNext(in transaction: SQLTransaction) async throws(PersistenceError) -> StartedQuery? {
        transaction.dialect == .sqlite ? nil : try await transaction.start(nextSQL, 1)
    }

    /// The last number that was given, 0 before the first. On PostgreSQL it may be one of a transaction under way.
    package func last(in reader: SQLReader) async throws(PersistenceError) -> Int64 {
        let sql =
            reader.dialect == .sqlite
            ? "SELECT value FROM counter WHERE name = '\(name)'"
            : "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS value FROM \(Self.sequence(name))"
        guard let row = try await reader.queryOne(sql) else { throw missing }
        return try row["value"]
    }

    private var missing: PersistenceError { PersistenceError(.statement, "the counter '\(name)' is missing") }
}
