import Logging
import StorebusTesting

@testable import Persistence

/// A database of a test's own, with one table that has every kind of constraint.
struct TemporaryDatabase {
    static let schema = [
        Migration(
            number: 1, name: "items",
            sql: """
                CREATE TABLE shelf (id INTEGER PRIMARY KEY);
                CREATE TABLE item (
                    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, shelf INTEGER REFERENCES shelf (id),
                    price INTEGER CHECK (price >= 0), seen INTEGER, weight REAL, image BLOB);
                """)
    ]

    let directory: TemporaryDirectory
    var path: String { directory.file("items.sqlite") }

    init() throws { directory = try TemporaryDirectory(prefix: "persistence") }

    func open(migrations: [Migration] = schema) throws(PersistenceError) -> SQLiteDatabase {
        try SQLiteDatabase.open(
            path: path, holder: "items", migrations: migrations,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Opens, hands over and closes, so that a test leaves no thread behind.
    func withDatabase(_ body: (SQLiteDatabase) async throws -> Void) async throws {
        let database = try open()
        do {
            try await body(database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }
}
