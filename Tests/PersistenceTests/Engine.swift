import EventLoop
import Logging
import StorebusTesting
import Synchronization
import Testing

@testable import Persistence

/// Which engine a test runs on: what is promised of one is promised of the other.
enum Engine: String, CaseIterable, CustomTestStringConvertible {
    case sqlite
    case postgres

    var testDescription: String { rawValue }
}

/// A database of a test's own on either engine, which may be opened more than once.
struct TestDatabase {
    let engine: Engine
    private let files: TemporaryDatabase
    /// The service's name; on PostgreSQL also the schema, so that tests do not meet.
    let holder: String

    private static let count = Mutex(0)
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init(_ engine: Engine) throws {
        self.engine = engine
        files = try TemporaryDatabase()
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        holder = "items-\(number)"
    }

    func open(migrations: [Migration] = TemporaryDatabase.schema) async throws -> any SQLDatabase {
        switch engine {
        case .sqlite: try files.open(migrations: migrations)
        case .postgres: try await openPostgres(migrations: migrations)
        }
    }

    func openPostgres(
        migrations: [Migration] = TemporaryDatabase.schema, loop: UVLoop = TestLoop.shared
    ) async throws -> PostgresDatabase {
        try await PostgresDatabase.open(
            PostgresLocation(url: try await TemporaryPostgres.shared.url), holder: holder, migrations: migrations,
            loop: loop, logger: Self.logger)
    }

    /// Opens, hands over and closes.
    func with(_ body: (any SQLDatabase) async throws -> Void) async throws {
        let database = try await open()
        do {
            try await body(database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    static func with(_ engine: Engine, _ body: (any SQLDatabase) async throws -> Void) async throws {
        try await TestDatabase(engine).with(body)
    }
}

/// The loop of all connections to PostgreSQL in this process.
enum TestLoop {
    /// Starting fails only when the kernel gives no thread, and then no test can run.
    static let shared = try! UVLoop.start(name: "test")
}

extension SQLDatabase {
    func count(_ table: String = "item") async throws -> Int {
        try await read { reader in try await reader.queryOne("SELECT count(*) AS n FROM \(table)")?["n"] ?? 0 }
    }

    func insert(_ name: String) async throws {
        _ = try await write { try await $0.execute("INSERT INTO item (name) VALUES (?)", name) }
    }
}
