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
    private let directory: TemporaryDirectory
    private let isHandedOn: Bool
    private let contents: Locked<(holder: String, migrations: [Migration]?)>

    /// Creates a database of its own, which ``open(migrations:)`` opens.
    ///
    /// - Parameter isHandedOn: On PostgreSQL a later test gets the emptied schema. The test must not alter it.
    package init(_ engine: Engine, isHandedOn: Bool = false) throws {
        self.engine = engine
        self.isHandedOn = isHandedOn
        directory = try TemporaryDirectory(prefix: "database")
        let number = Self.count.withLock { count in
            count += 1
            return count
        }
        contents = Locked(("test-\(number)", nil))
    }

    deinit {
        let (holder, migrations) = contents.withLock { $0 }
        guard isHandedOn, let migrations else { return }
        HandedOnSchemas.add(holder, migrations)
    }

    /// The service's name, reported to a refused process. On PostgreSQL it is also the schema, so that tests do not
    /// meet.
    package var holder: String { contents.withLock { $0.holder } }

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
        let isFirst = contents.withLock { contents in
            defer { contents.migrations = migrations }
            return contents.migrations == nil
        }
        if isHandedOn, isFirst, let holder = HandedOnSchemas.take(migrations) {
            let database = try await openPostgres(holder, migrations, idleTime)
            if try await HandedOnSchemas.empty(database, holder, migrations) {
                contents.withLock { $0.holder = holder }
                return database
            }
            await database.close()
            HandedOnSchemas.add(holder, migrations)
        }
        return try await openPostgres(holder, migrations, idleTime)
    }

    private func openPostgres(
        _ holder: String, _ migrations: [Migration], _ idleTime: Duration
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

/// Schemas that ended tests have left on the server, for later tests with the same steps.
///
/// Making the payment queue's schema takes the server 0.13 s, emptying it a few milliseconds.
private enum HandedOnSchemas {
    private static let waiting = Locked<[[Migration]: [String]]>([:])

    static func add(_ holder: String, _ migrations: [Migration]) {
        waiting.withLock { $0[migrations, default: []].append(holder) }
    }

    /// The one that has waited longest.
    static func take(_ migrations: [Migration]) -> String? {
        waiting.withLock { waiting in
            guard let first = waiting[migrations]?.first else { return nil }
            waiting[migrations]?.removeFirst()
            return first
        }
    }

    /// Makes a schema as its steps have left it. Numbers of logs go on.
    ///
    /// - Returns: False if another connection is still there, of a test that has not closed it.
    static func empty(_ database: PostgresDatabase, _ holder: String, _ migrations: [Migration]) async throws -> Bool {
        let rows = migrations.flatMap { $0.sql(.postgres).split(separator: ";") }
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { $0.hasPrefix("INSERT INTO") }
        return try await database.write { transaction in
            let others = try await transaction.queryOne(
                "SELECT 1 AS n FROM pg_stat_activity WHERE application_name = ? AND pid <> pg_backend_pid() LIMIT 1",
                "storebus \(holder)")
            guard others == nil else { return false }
            _ = try await transaction.execute(emptying)
            for row in rows { _ = try await transaction.execute(row) }
            return true
        }
    }

    private static let emptying = #"""
        DO $$
        DECLARE name regclass;
        BEGIN
            PERFORM set_config('session_replication_role', 'replica', true);
            FOR name IN
                SELECT oid::regclass FROM pg_class
                WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
                    AND relname NOT IN ('schema_migration', 'log_origin')
            LOOP
                EXECUTE format('DELETE FROM %s', name);
            END LOOP;
            PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence JOIN pg_class ON oid = seqrelid
            WHERE relnamespace = current_schema()::regnamespace AND relname NOT LIKE '%\_position\_seq';
        END $$
        """#
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
