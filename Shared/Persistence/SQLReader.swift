/// Runs SELECT statements inside one snapshot. Handed to the body of ``SQLDatabase/read(_:)`` and, as
/// ``SQLTransaction``, of ``SQLDatabase/write(_:)``; of no use outside of it, and not `Sendable`, so the compiler keeps
/// it inside.
package class SQLReader {
    let session: any SQLSession

    init(_ session: any SQLSession) { self.session = session }

    /// The few fragments in which the engines differ.
    package final var dialect: SQLDialect { session.dialect }

    /// All rows of a statement with `?` parameters. The caller bounds them with LIMIT.
    ///
    /// ```swift
    /// let rows = try await reader.query("SELECT id, state FROM payment WHERE app = ? LIMIT 100", bundleId)
    /// ```
    /// - Throws: ``PersistenceError`` by what the engine answered.
    package final func query(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) async throws(PersistenceError) -> [SQLRow] {
        try await session.run(sql, arguments.map(\.sqlValue), rowsMax: .max).rows
    }

    /// As ``query(_:_:)``, with parameters put together at run time.
    package final func query(
        _ sql: String, arguments: [any SQLValueConvertible]
    ) async throws(PersistenceError) -> [SQLRow] {
        try await session.run(sql, arguments.map(\.sqlValue), rowsMax: .max).rows
    }

    /// The first row of a statement; nil when there is none.
    package final func queryOne(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) async throws(PersistenceError) -> SQLRow? {
        try await session.run(sql, arguments.map(\.sqlValue), rowsMax: 1).rows.first
    }
}
