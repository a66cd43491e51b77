internal import GRDB

/// Reads and writes inside a request's share of a group commit. What it reads includes what the requests before it in
/// the same group have written.
package final class SQLTransaction: SQLReader {
    /// Runs one statement that changes rows, with `?` parameters. `INSERT … RETURNING` goes through ``query(_:_:)``.
    ///
    /// ```swift
    /// let changed = try transaction.execute("UPDATE payment SET state = ? WHERE id = ?", "purchased", id)
    /// ```
    /// Transactions are the database's business: BEGIN, COMMIT, SAVEPOINT and their like do not belong here, and
    /// constraints are immediate, because a deferred one would fail the whole group.
    /// - Returns: how many rows it changed.
    /// - Throws: ``PersistenceError``; `constraint` when the schema refused it.
    @discardableResult
    package func execute(_ sql: String, _ arguments: any SQLValueConvertible...) throws(PersistenceError) -> Int {
        try execute(sql, arguments: arguments)
    }

    /// As ``execute(_:_:)``, with parameters put together at run time.
    @discardableResult
    package func execute(_ sql: String, arguments: [any SQLValueConvertible]) throws(PersistenceError) -> Int {
        do {
            try database.cachedStatement(sql: sql).execute(arguments: Self.bindings(arguments))
            return database.changesCount
        } catch {
            throw PersistenceError(error, path: path)
        }
    }
}
