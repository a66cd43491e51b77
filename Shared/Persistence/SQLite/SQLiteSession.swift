/// Statements of one connection, run at once on the thread that owns it.
final class SQLiteSession: SQLSession {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) { self.connection = connection }

    var dialect: SQLDialect { .sqlite }

    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult {
        try connection.run(sql, arguments, rowsMax: rowsMax)
    }

    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError) {
        _ = try connection.run(sql, arguments)
    }
}
