package import ServiceLifecycle

/// A service's database, of either engine: ``SQLiteDatabase`` or ``PostgresDatabase``.
///
/// ```swift
/// let version = try await database.write { transaction in
///     try await transaction.execute("UPDATE app SET version = version + 1 WHERE bundle_id = ?", bundleId)
///     let row = try await transaction.queryOne("SELECT version FROM app WHERE bundle_id = ?", bundleId)
///     return row?["version"] as Int64?
/// }
/// ```
/// A body waits for SQL only, because others queue behind it. The engine may ask to run it again from its beginning, so
/// it changes only the database. A statement that fails ends the transaction: statements after it fail too, and so does
/// the call, even when the body catches the error.
///
/// As a service it keeps the database open until graceful shutdown, then closes it. ``SQLiteDatabase`` throws ``fault``
/// as soon as it occurs, so that the process ends and is started again.
package protocol SQLDatabase: ServiceLifecycle.Service {
    /// Runs `body` in one transaction and returns after the commit has reached the disk.
    ///
    /// A body that throws rolls back only its own changes, and its error is rethrown. Cancelling the task does not roll
    /// a write back.
    /// - Throws: The error of `body`, or a ``PersistenceError`` if the commit failed.
    func write<Output: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) async throws -> Output
    ) async throws -> Output

    /// Runs `body` against one snapshot of the committed data. Writers neither wait for it nor disturb it.
    /// - Throws: The error of `body`, or a ``PersistenceError``.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (SQLReader) async throws -> Output
    ) async throws -> Output

    /// Lets waiting work finish, then closes the connections. Later calls fail with `closed`. May be called again.
    func close() async

    /// The reason why no write is taken, or nil in health. A PostgreSQL server that is away comes back, but a fault of
    /// SQLite stays. The service's health check reports it.
    var fault: PersistenceError? { get }
    /// The failures that a commit survives.
    var synchronous: DatabaseSynchronous { get }
    var statistics: DatabaseStatistics { get }
    /// Announces each commit of this process. Those of other processes are not announced.
    var commits: CommitSignal { get }
    /// The few fragments of SQL in which the engines differ.
    var dialect: SQLDialect { get }
}

/// The engine's part of one request, which runs the statements of ``SQLReader`` and ``SQLTransaction``.
protocol SQLSession: AnyObject {
    var dialect: SQLDialect { get }
    /// The failure of a statement of this request. After it no statement is run, even when the body catches the error.
    var failure: PersistenceError? { get }

    /// Runs one statement and waits for its answer.
    /// - Parameter rowsMax: The number of rows wanted. Rows beyond it are not fetched.
    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult

    /// Runs an INSERT of at most one row.
    /// - Parameter column: The column whose number the engine has given.
    /// - Returns: That number, or nil if a conflict has kept the row out.
    func insert(
        _ sql: String, _ arguments: [SQLValue], numberedBy column: String
    ) async throws(PersistenceError) -> Int64?

    /// Runs one statement whose result is asked for later. If the engine can, it has sent the statement when this
    /// returns.
    /// - Parameter rowsMax: The number of rows wanted.
    func start(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> StartedQuery

    /// Runs one statement whose result is not needed. If the engine can, it has sent the statement when this returns.
    /// The next ``run(_:_:rowsMax:)`` or the commit then throws the statement's error.
    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError)

    /// Runs a batch whose results are asked for later, as ``start(_:_:rowsMax:)`` does.
    func start(_ batch: SQLBatch) async throws(PersistenceError) -> StartedBatch

    /// Runs a batch whose results are not needed, as ``send(_:_:)`` does.
    func send(_ batch: SQLBatch) async throws(PersistenceError)
}

/// Runs a batch statement by statement.
extension SQLSession {
    func start(_ batch: SQLBatch) async throws(PersistenceError) -> StartedBatch {
        var queries: [StartedQuery] = []
        for (sql, arguments) in batch.statements(dialect) {
            queries.append(try await start(sql, arguments, rowsMax: .max))
        }
        return StartedBatch(queries: queries)
    }

    func send(_ batch: SQLBatch) async throws(PersistenceError) {
        for (sql, arguments) in batch.statements(dialect) { try await send(sql, arguments) }
    }
}

/// The result of a statement.
struct SQLResult: Sendable {
    var rows: [SQLRow] = []
    /// Rows an INSERT, UPDATE or DELETE has changed.
    var changed = 0
}
