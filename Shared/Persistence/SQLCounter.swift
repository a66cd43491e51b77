/// Numbers that only grow, by name. They are a row of the table `counter (name, value)` on SQLite, a sequence on
/// PostgreSQL.
///
/// A row on PostgreSQL would make all writers of a store wait for one another's flush. SQLite has one writer anyway, so
/// its numbers are in the order of the commits, without gaps. PostgreSQL's are in the order of the requests, and
/// numbers of rolled-back transactions are missing.
package struct SQLCounter: Hashable, Sendable {
    /// `transaction`, with a migration that names it among its `counters`.
    package let name: String

    /// Names a counter, which the migration makes.
    package init(_ name: String) { self.name = name }

    private static func sequence(_ name: String) -> String { "counter_\(name)" }

    /// The statements that make counters.
    /// - Parameter counters: Each with the number before its first.
    static func schema(_ counters: KeyValuePairs<String, Int64>, _ dialect: SQLDialect) -> String {
        let statements = counters.map { name, last in
            dialect.words(
                sqlite: "INSERT INTO counter (name, value) VALUES ('\(name)', \(last));",
                postgres: "CREATE SEQUENCE \(sequence(name)) START WITH \(last + 1);")
        }
        let table = dialect.words(
            sqlite: "CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value BIGINT NOT NULL);")
        return counters.isEmpty ? "" : ([";", table] + statements).joined(separator: "\n")
    }

    /// The next `count` numbers, growing. Only SQLite leaves no gaps.
    /// - Throws: `statement` for a counter that no migration has made.
    package func next(_ count: Int = 1, in transaction: SQLTransaction) async throws(PersistenceError) -> [Int64] {
        switch transaction.dialect {
        case .sqlite:
            // Two statements cost less than RETURNING, for which SQLite makes and removes a table in memory.
            try await transaction.execute("UPDATE counter SET value = value + ? WHERE name = ?", count, name)
            guard let row = try await transaction.queryOne("SELECT value FROM counter WHERE name = ?", name) else {
                throw PersistenceError(.statement, "the counter '\(name)' is missing")
            }
            let last: Int64 = try row["value"]
            return (0..<count).map { last - Int64(count - 1 - $0) }
        case .postgres:
            return try await transaction.query(nextSQL, count).values(of: "value")
        }
    }

    /// Sorted, because the server may hand them out to rows in any order.
    private var nextSQL: String {
        "SELECT nextval('\(Self.sequence(name))') AS value FROM generate_series(1, ?) ORDER BY value"
    }

    /// Starts to take the next `count` numbers, so that it shares a round trip.
    /// - Returns: A query with the column `value`, or nil on SQLite, which has no round trips.
    package func startNext(
        _ count: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> StartedQuery? {
        transaction.dialect == .sqlite ? nil : try await transaction.startAll(nextSQL, count)
    }

    /// Gives back this transaction's last `count` numbers. A sequence of PostgreSQL keeps the gap.
    package func release(_ count: Int, in transaction: SQLTransaction) async throws(PersistenceError) {
        guard transaction.dialect == .sqlite else { return }
        try await transaction.execute("UPDATE counter SET value = value - ? WHERE name = ?", count, name)
    }
}
