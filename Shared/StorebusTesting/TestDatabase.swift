package import EventLoop
import Foundation
import Logging
package import Persistence

/// A test's own database on either engine. It may be opened again, and on PostgreSQL more than once at a time.
package final class TestDatabase: Sendable {
    private static let count = Locked(0)
    private static let started = Result { try UVLoop.start(name: "test") }
    /// The loop of all connections to PostgreSQL in this process.
    package static var loop: UVLoop { get throws { try started.get() } }

    /// The engine that the test runs on.
    package let engine: Engine
    /// The service's name, reported to a refused process. On PostgreSQL it is also the schema, so that tests do not
    /// meet.
    package let holder: String
    private let directory: TemporaryDirectory

    /// Creates a database of its own, which ``open(migrations:)`` opens.
    package init(_ engine: Engine) throws {
        self.engine = engine
        directory = try TemporaryDirectory(prefix: "database")
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        holder = "test-\(number)"
    }

    /// SQLite's file.
    package var path: String { directory.file("test.sqlite") }

    // Swift 6.3.1 crashes when it optimizes this as a part of `with`.
    /// Opens the database with its schema. Only PostgreSQL allows it more than once at a time.
    @inline(never)
    package func open(migrations: [Migration]) async throws -> any SQLDatabase {
        switch engine {
        case .sqlite: try openSQLite(migrations: migrations)
        case .postgres: try await openPostgres(migrations: migrations)
        }
    }

    /// Opens the file. A second call while it is open throws `held`.
    package func openSQLite(migrations: [Migration]) throws(PersistenceError) -> SQLiteDatabase {
        try SQLiteDatabase.open(path: path, holder: holder, migrations: migrations, logger: Self.logger)
    }

    /// Opens the schema on the tests' server, any number of times at once.
    ///
    /// - Parameter idleTime: The time without a statement after which the server ends a transaction. Beside other work
    ///   on the machine, hundreds of tests in one process pause longer than a service does.
    package func openPostgres(
        migrations: [Migration], idleTime: Duration = .seconds(60)
    ) async throws -> PostgresDatabase {
        try await PostgresDatabase.open(
            PostgresLocation(url: try await TemporaryPostgres.shared.url), holder: holder, migrations: migrations,
            idleTime: idleTime, loop: try Self.loop, logger: Self.logger)
    }

    private static var logger: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }

    /// Opens, hands over and closes.
    package func with<Output>(
        migrations: [Migration], _ body: (any SQLDatabase) async throws -> Output
    ) async throws -> Output {
        let database = try await open(migrations: migrations)
        do {
            let output = try await body(database)
            await database.close()
            return output
        } catch {
            await database.close()
            throw error
        }
    }
}

/// The database that a test runs on. Both keep the same promises.
///
/// ```swift
/// @Test(arguments: Engine.allCases) func `…`(_ engine: Engine) async throws
/// ```
package enum Engine: String, CaseIterable, Sendable, CustomStringConvertible {
    case sqlite
    case postgres

    /// Both, or those in the variable `STOREBUS_ENGINES`, such as `sqlite`.
    package static let allCases: [Engine] = {
        guard let named = ProcessInfo.processInfo.environment["STOREBUS_ENGINES"], !named.isEmpty else {
            return [.sqlite, .postgres]
        }
        return named.split(separator: ",").map { name in
            guard let engine = Engine(rawValue: String(name)) else {
                fatalError("STOREBUS_ENGINES names 'sqlite' and 'postgres', not '\(name)'")
            }
            return engine
        }
    }()

    /// `sqlite` or `postgres`, as reports show it.
    package var description: String { rawValue }
}
