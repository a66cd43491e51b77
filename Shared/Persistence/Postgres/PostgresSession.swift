/// One transaction of one connection, begun with its first statement.
final class PostgresSession: SQLSession {
    private let connection: PostgresConnection
    private let state = PostgresRequestState()
    /// Nil once it was sent.
    private var begin: String?
    private(set) var failure: PersistenceError?

    /// - Parameter begin: The `BEGIN` statement with its isolation level.
    init(_ connection: PostgresConnection, begin: String) {
        self.connection = connection
        self.begin = begin
    }

    var dialect: SQLDialect { .postgres }

    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult {
        let begin = takeBegin()
        let result = await withUnsafeContinuation { (waiter: PostgresCommand.Waiter) in
            connection.perform { [state] in
                $0.send(sql, arguments, begin: begin, rowsMax: rowsMax, state, .waiter(waiter))
            }
        }
        return try keep(result)
    }

    func insert(
        _ sql: String, _ arguments: [SQLValue], numberedBy column: String
    ) async throws(PersistenceError) -> Int64? {
        let rows = try await run("\(sql) RETURNING \(column)", arguments, rowsMax: .max).rows
        return try rows.first.map { row throws(PersistenceError) in try row[column] }
    }

    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError) {
        if let failure { throw failure }
        let begin = takeBegin()
        connection.perform { [state] in $0.send(sql, arguments, begin: begin, rowsMax: 0, state, nil) }
    }

    func start(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> StartedQuery {
        if let failure { throw failure }
        let (begin, query) = (takeBegin(), PostgresQuery())
        connection.perform { [state] in
            $0.send(sql, arguments, begin: begin, rowsMax: rowsMax, state, .query(query))
        }
        return StartedQuery(.sent(query, self))
    }

    /// Waits for the result of a query that was started in this transaction.
    func result(of query: PostgresQuery) async throws(PersistenceError) -> SQLResult {
        try keep(
            await withUnsafeContinuation { (waiter: PostgresCommand.Waiter) in
                connection.perform { $0.wait(for: query, waiter) }
            })
    }

    private func takeBegin() -> String? {
        defer { begin = nil }
        return begin
    }

    private func keep(_ result: Result<SQLResult, PersistenceError>) throws(PersistenceError) -> SQLResult {
        switch result {
        case .success(let result): return result
        case .failure(let error):
            failure = failure ?? error
            throw error
        }
    }

    /// Commits the transaction and waits for the result. Without any statement no transaction was begun.
    /// - Throws: The failure of a statement without a waiter, or of the commit itself.
    func commit() async throws(PersistenceError) {
        if let failure { throw failure }
        guard begin == nil else { return }
        let result = await withUnsafeContinuation { (waiter: PostgresCommand.Waiter) in
            connection.perform { [state] in $0.commit(state, waiter) }
        }
        _ = try keep(result)
    }

    /// Ends a transaction that has only read, without waiting.
    func leave() {
        guard begin == nil else { return }
        connection.perform { [state] in $0.commit(state, nil) }
    }

    /// Rolls the transaction back without waiting. The next transaction's statements come behind it.
    func rollBack() {
        guard begin == nil else { return }
        connection.perform { $0.rollBack() }
    }
}

/// The loop's state of one transaction while its statements are on their way.
///
/// `@unchecked Sendable`: it travels with the statements, and is touched on the connection's loop only.
final class PostgresRequestState: @unchecked Sendable {
    /// The first failure. Statements after it are not sent.
    var failure: PersistenceError?
}
