/// Statements of one connection, run immediately on the thread that owns it.
final class SQLiteSession: SQLSession {
    private let connection: SQLiteConnection
    private(set) var failure: PersistenceError?
    /// Whether the request has run a statement that may have changed the database.
    private(set) var hasWritten = false

    init(_ connection: SQLiteConnection) { self.connection = connection }

    var dialect: SQLDialect { .sqlite }

    /// Begins the next request, without the failure of the last one.
    func begin() { (failure, hasWritten) = (nil, false) }

    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult {
        try perform { () throws(PersistenceError) in
            try connection.run(sql, arguments, rowsMax: rowsMax, &hasWritten)
        }
    }

    private func perform<Output>(
        _ body: () throws(PersistenceError) -> Output
    ) throws(PersistenceError) -> Output {
        if let failure { throw failure }
        do throws(PersistenceError) {
            return try body()
        } catch {
            failure = error
            throw error
        }
    }

    /// Without RETURNING, for which SQLite makes and removes a table in memory.
    func insert(
        _ sql: String, _ arguments: [SQLValue], numberedBy column: String
    ) async throws(PersistenceError) -> Int64? {
        try await run(sql, arguments, rowsMax: 0).changed == 0 ? nil : connection.lastInsertedNumber
    }

    func start(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> StartedQuery {
        StartedQuery(.done(try await run(sql, arguments, rowsMax: rowsMax)))
    }

    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError) {
        _ = try await run(sql, arguments, rowsMax: 0)
    }

    func start(_ batch: SQLBatch) async throws(PersistenceError) -> StartedBatch {
        StartedBatch(queries: try run(batch).map { StartedQuery(.done($0)) })
    }

    func send(_ batch: SQLBatch) async throws(PersistenceError) { _ = try run(batch) }

    private func run(_ batch: SQLBatch) throws(PersistenceError) -> [SQLResult] {
        try perform { () throws(PersistenceError) in try connection.run(batch, &hasWritten) }
    }
}
