import BusService
import Logging
import Operations
import Persistence
import StoreModels

extension ServiceEnvironment {
    /// Opens the service's database, as the settings name it, and migrates its schema.
    ///
    /// | key | environment | |
    /// |---|---|---|
    /// | `database.url` | `DATABASE_URL` | `postgres://user@host:5432/db`, or else `<data>/<service>.sqlite` |
    /// | `database.password.file` | `DATABASE_PASSWORD_FILE` | a file with the password, instead of one in the URL |
    /// | `database.synchronous` | `DATABASE_SYNCHRONOUS` | `full`. `normal` and `off` lose commits (for measuring) |
    ///
    /// On PostgreSQL a service has its own schema, `payment_queue`, and any number of processes. A SQLite file has one
    /// process. The service waits for a server that is away, as while it recovers from a crash. It takes no requests on
    /// a bus with another store's database (``StoreIdentityTable``).
    /// - Throws: ``StartupError`` that names the place, the problem and the remedy.
    package func openDatabase(_ migrations: [Migration]) async throws(StartupError) -> any SQLDatabase {
        let synchronous = try process.configuration.choice("database.synchronous", default: DatabaseSynchronous.full)
        let database = try await open(migrations, synchronous)
        if let weakness = synchronous.weakness {
            process.logger.warning("\(weakness)", metadata: ["database.synchronous": "\(synchronous.rawValue)"])
        }
        do {
            service.belongs(to: try await StoreIdentityTable.load(database), makesStore: makesStore) {
                try await StoreIdentityTable.keep($0, in: database)
            }
        } catch {
            await database.close()
            throw Self.startupError(error)
        }
        return database
    }

    /// Whether it is PaymentQueue's database, which a store always has.
    private var makesStore: Bool { process.name == ServiceName.paymentQueue.rawValue }

    private static func startupError(_ error: any Error) -> StartupError {
        guard let error = error as? PersistenceError else { return StartupError(error) }
        return StartupError(ProcessExit(rawValue: error.exitCode) ?? .bug, error.message)
    }

    private func open(
        _ migrations: [Migration], _ synchronous: DatabaseSynchronous
    ) async throws(StartupError) -> any SQLDatabase {
        let url = try process.configuration.string("database.url", isSecret: true)
        let password = try password()
        do throws(PersistenceError) {
            guard let url else {
                return try SQLiteDatabase.open(
                    path: "\(process.dataDirectory)/\(process.name).sqlite", holder: process.name,
                    migrations: migrations, synchronous: synchronous, logger: process.logger)
            }
            let location = try PostgresLocation(url: url, password: password)
            return try await DatabaseConnectRetry(logger: process.logger).open { () throws(PersistenceError) in
                try await PostgresDatabase.open(
                    location, holder: process.name, migrations: migrations, synchronous: synchronous,
                    loop: process.loop, logger: process.logger)
            } pausing: {
                try? await Task.sleep(for: $0)
            }
        } catch {
            throw Self.startupError(error)
        }
    }

    private func password() throws(StartupError) -> String? {
        guard let path = try process.configuration.string("database.password.file") else { return nil }
        return try SecretFile.text(path, of: "DATABASE_PASSWORD_FILE")
    }
}

/// Waits at a service's start for a database server that is away.
///
/// After ``timeout`` the process ends as one that may be started again (exit 69), so that a supervisor's log shows it.
struct DatabaseConnectRetry {
    static let timeout: Duration = .seconds(30)

    let logger: Logger

    /// Opens until it succeeds, with ``RetrySchedule``'s delays between the attempts.
    /// - Throws: The first error that is not `unavailable`, or `unavailable` when the delays add up to ``timeout``.
    func open<Database>(
        _ attempt: () async throws(PersistenceError) -> Database, pausing: (Duration) async -> Void
    ) async throws(PersistenceError) -> Database {
        var attempts = 0
        var waited = Duration.zero
        while true {
            do throws(PersistenceError) {
                return try await attempt()
            } catch {
                guard error.code == .unavailable, waited < Self.timeout else { throw error }
                attempts += 1
                if attempts == 1 { logger.warning("waiting for the database", metadata: ["error": "\(error)"]) }
                let delay = RetrySchedule.delay(afterAttempts: attempts)
                await pausing(delay)
                waited += delay
            }
        }
    }
}

/// Reads and writes the identity of a database and its store. Every database has the table.
enum StoreIdentityTable {
    /// Returns the database's identity, after naming an unnamed database.
    /// - Throws: ``PersistenceError``.
    static func load(_ database: any SQLDatabase) async throws -> StoreIdentity {
        if let identity = try await database.read({ try await read($0) }) { return identity }
        let name = RandomIdentifier.hex(digits: 24)
        return try await database.write { transaction in
            // A replica may have been first.
            try await transaction.execute(
                "INSERT INTO store_identity (only_row, database_id) VALUES (1, ?) ON CONFLICT DO NOTHING", name)
            return try await row(of: transaction)
        }
    }

    /// Writes the store's identity unless the database has one.
    /// - Returns: The identity that is in the database now.
    /// - Throws: ``PersistenceError``.
    static func keep(_ store: String, in database: any SQLDatabase) async throws -> String {
        try await database.write { transaction in
            try await transaction.execute("UPDATE store_identity SET store_id = ? WHERE store_id IS NULL", store)
            return try await row(of: transaction).store ?? store
        }
    }

    private static func read(_ reader: SQLReader) async throws(PersistenceError) -> StoreIdentity? {
        guard let row = try await reader.queryOne("SELECT database_id, store_id FROM store_identity") else {
            return nil
        }
        return StoreIdentity(database: try row["database_id"], store: try row["store_id"])
    }

    private static func row(of reader: SQLReader) async throws(PersistenceError) -> StoreIdentity {
        guard let identity = try await read(reader) else {
            throw PersistenceError(.statement, "store_identity has no row")
        }
        return identity
    }
}
