/// Runs SELECT statements inside one snapshot. Handed to the body of ``SQLDatabase/read(_:)`` and, as
/// ``SQLTransaction``, of ``SQLDatabase/write(_:)``. It is of no use outside of the body, and not `Sendable`, so the
/// compiler keeps it inside.
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
    /// - Throws: ``PersistenceError`` by the engine's answer.
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

    /// The first row of a statement, or nil if it has no rows.
    package final func queryOne(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) async throws(PersistenceError) -> SQLRow? {
        try await session.run(sql, arguments.map(\.sqlValue), rowsMax: 1).rows.first
    }

    /// Starts a statement whose first row is asked for later, so that several statements share one round trip.
    ///
    /// ```swift
    /// let app = try await reader.start("SELECT version FROM app WHERE bundle_id = ?", bundleId)
    /// let product = try await reader.start("SELECT body FROM product WHERE product_id = ?", identifier)
    /// let (version, body) = (try await app.first(), try await product.first())
    /// ```
    /// - Throws: ``PersistenceError``. A failure that is known only later is thrown by the next statement that waits.
    package final func start(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) async throws(PersistenceError) -> StartedQuery {
        try await session.start(sql, arguments.map(\.sqlValue), rowsMax: 1)
    }

    /// Starts a statement whose rows are asked for later, as ``start(_:_:)`` does. The caller bounds them with LIMIT.
    /// - Throws: As ``start(_:_:)``.
    package final func startAll(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) async throws(PersistenceError) -> StartedQuery {
        try await session.start(sql, arguments.map(\.sqlValue), rowsMax: .max)
    }

    /// As ``startAll(_:_:)``, with parameters put together at run time.
    package final func startAll(
        _ sql: String, arguments: [any SQLValueConvertible]
    ) async throws(PersistenceError) -> StartedQuery {
        try await session.start(sql, arguments.map(\.sqlValue), rowsMax: .max)
    }

    /// Maximum number of items whose queries share a round trip.
    private static let pipelinedMax = 8

    /// Reads about several items, in their order. Queries of up to eight items share a round trip.
    /// - Parameters:
    ///   - start: Starts the queries of an item.
    ///   - finish: Waits for them. Nil ends the reading. The rows of other items that were started are dropped.
    /// - Throws: The errors of `start` and `finish`.
    package final func pipelined<Item, Started, Output>(
        _ items: [Item], start: (Item) async throws -> Started, finish: (Started) async throws -> Output?
    ) async throws -> [Output] {
        var outputs: [Output] = []
        var rest = items[...]
        while !rest.isEmpty {
            var started: [Started] = []
            for item in rest.prefix(Self.pipelinedMax) { started.append(try await start(item)) }
            rest = rest.dropFirst(started.count)
            for item in started {
                guard let output = try await finish(item) else { return outputs }
                outputs.append(output)
            }
        }
        return outputs
    }
}

/// A query of one transaction that was started. SQLite has run it. On PostgreSQL it may be on its way.
package struct StartedQuery {
    enum Progress {
        case done(SQLResult)
        case sent(PostgresQuery, PostgresSession)
    }

    private let progress: Progress

    init(_ progress: Progress) { self.progress = progress }

    /// Waits for the first row. Nil without rows. It may be asked once, in the body that started the query.
    /// - Throws: ``PersistenceError`` by the engine's answer.
    package func first() async throws(PersistenceError) -> SQLRow? { try await rows().first }

    /// Waits for the rows. They may be asked once, in the body that started the query.
    /// - Throws: ``PersistenceError`` by the engine's answer.
    package func rows() async throws(PersistenceError) -> [SQLRow] { try await result().rows }

    /// Waits until the statement has run. It may be asked once, in the body that started it.
    /// - Returns: The number of rows it has changed.
    /// - Throws: ``PersistenceError`` by the engine's answer.
    func changedCount() async throws(PersistenceError) -> Int { try await result().changed }

    private func result() async throws(PersistenceError) -> SQLResult {
        switch progress {
        case .done(let result): result
        case .sent(let query, let session): try await session.result(of: query)
        }
    }
}
