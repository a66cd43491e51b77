/// The engine's end of one request: what ``SQLReader`` and ``SQLTransaction`` send their statements to.
protocol SQLSession: AnyObject {
    var dialect: SQLDialect { get }
    /// What a statement of this request failed with. After it nothing is run any more, whatever the body makes of it.
    var failure: PersistenceError? { get }

    /// Runs one statement and waits for its answer.
    /// - Parameter rowsMax: how many rows are wanted; what lies behind them is not fetched.
    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult

    /// Runs one statement whose answer nobody needs. Where the engine can, it is on its way when this returns, and what
    /// it throws is thrown by the next ``run(_:_:rowsMax:)`` or the commit.
    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError)
}

/// What a statement came to.
struct SQLResult: Sendable {
    var rows: [SQLRow] = []
    /// Rows an INSERT, UPDATE or DELETE has changed.
    var changed = 0
}
