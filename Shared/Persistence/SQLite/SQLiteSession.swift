/// Statements of one connection, run immediately on the thread that owns it.
final class SQLiteSession: SQLSession {
    private let connection: SQLiteConnection
    private(set) var failure: PersistenceError?

    init(_ connection: SQLiteConnection) { self.connection = connection }

    var dialect: SQLDialect { .sqlite }

    /// Begins the next request, without the failure of the last one.
    func begin() { failure = nil }

    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult {
        if let failure { throw failure }
        do throws(PersistenceError) {
            return try connection.run(sql, arguments, rowsMax: rowsMax)
        } catch {
            failure = error
            throw error
        }
    }

    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError) {
        _ = try await run(sql, arguments, rowsMax: 0)
    }
}
