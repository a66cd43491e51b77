/// Reads and writes inside one request's transaction. Its reads include its own writes.
package final class SQLTransaction: SQLReader {
    /// Runs one statement that changes rows, with `?` parameters. `INSERT … RETURNING` goes through ``query(_:_:)``.
    ///
    /// ```swift
    /// let changed = try await transaction.execute("UPDATE payment SET state = ? WHERE id = ?", "purchased", id)
    /// ```
    /// Transactions are the database's business: BEGIN, COMMIT, SAVEPOINT and their like do not belong here, and
    /// constraints are immediate, because a deferred one would fail a whole group of commits.
    /// - Returns: The number of rows it changed.
    /// - Throws: ``PersistenceError``, such as `constraint` if the schema refused it.
    @discardableResult
    package func execute(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) async throws(PersistenceError) -> Int {
        try await session.run(sql, arguments.map(\.sqlValue), rowsMax: .max).changed
    }

    /// As ``execute(_:_:)``, with parameters put together at run time.
    @discardableResult
    package func execute(
        _ sql: String, arguments: [any SQLValueConvertible]
    ) async throws(PersistenceError) -> Int {
        try await session.run(sql, arguments.map(\.sqlValue), rowsMax: .max).changed
    }

    /// Runs an INSERT of at most one row, and returns the row's number. The text has no RETURNING.
    ///
    /// ```swift
    /// let number = try await transaction.insert(
    ///     "INSERT INTO charge (charge_key) VALUES (?) ON CONFLICT DO NOTHING", key, numberedBy: "charge_number")
    /// ```
    /// - Parameter column: The `INTEGER PRIMARY KEY` of SQLite, the identity column of PostgreSQL.
    /// - Returns: The number that the engine has given the row, or nil if a conflict has kept it out.
    package func insert(
        _ sql: String, _ arguments: any SQLValueConvertible..., numberedBy column: String
    ) async throws(PersistenceError) -> Int64? {
        try await session.insert(sql, arguments.map(\.sqlValue), numberedBy: column)
    }

    /// Runs a statement without returning its count. It does not wait for the result if the engine can continue without
    /// it. On PostgreSQL that saves a round trip. SQLite runs it immediately.
    ///
    /// - Throws: ``PersistenceError``. A failure that is known only later is thrown by the next statement that waits,
    ///   or takes the place of the commit. So use ``execute(_:_:)`` to catch a constraint violation.
    package func send(_ sql: String, _ arguments: any SQLValueConvertible...) async throws(PersistenceError) {
        try await session.send(sql, arguments.map(\.sqlValue))
    }
    /// As ``send(_:_:)``, with parameters put together at run time.
    package func send(_ sql: String, arguments: [any SQLValueConvertible]) async throws(PersistenceError) {
        try await session.send(sql, arguments.map(\.sqlValue))
    }
}
