/// The engine's part of one request, which runs the statements of ``SQLReader`` and ``SQLTransaction``.
protocol SQLSession: AnyObject {
    var dialect: SQLDialect { get }
    /// The failure of a statement of this request. After it no statement is run, even when the body catches the error.
    var failure: PersistenceError? { get }

    /// Runs one statement and waits for its answer.
    /// - Parameter rowsMax: The number of rows wanted; rows beyond it are not fetched.
    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult

    /// Runs one statement whose result is not needed. Where the engine can, it is on its way when this returns, and
    /// what it throws is thrown by the next ``run(_:_:rowsMax:)`` or the commit.
    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError)
}

/// The result of a statement.
struct SQLResult: Sendable {
    var rows: [SQLRow] = []
    /// Rows an INSERT, UPDATE or DELETE has changed.
    var changed = 0
}
