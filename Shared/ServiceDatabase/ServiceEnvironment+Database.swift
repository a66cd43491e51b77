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
        let synchronous = try configuration.choice("database.synchronous", default: DatabaseSynchronous.full)
        let database = try await open(migrations, synchronous)
        if let weakness = synchronous.weakness {
            logger.warning("\(weakness)", metadata: ["database.synchronous": "\(synchronous.rawValue)"])
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
        let url = try configuration.string("database.url", isSecret: true)
        let password = try password()
        do throws(PersistenceError) {
            guard let url else {
                return try SQLiteDatabase.open(
                    path: "\(dataDirectory)/\(process.name).sqlite", holder: process.name, migrations: migrations,
                    synchronous: synchronous, logger: logger)
            }
            let location = try PostgresLocation(url: url, password: password)
            return try await DatabaseConnectRetry(logger: logger).open { () throws(PersistenceError) in
                try await PostgresDatabase.open(
                    location, holder: process.name, migrations: migrations, synchronous: synchronous, loop: loop,
                    logger: logger)
            } pausing: {
                try? await Task.sleep(for: $0)
            }
        } catch {
            throw Self.startupError(error)
        }
    }

    private func password() throws(StartupError) -> String? {
        guard let path = try configuration.string("database.password.file") else { return nil }
        return try SecretFile.text(path, of: "DATABASE_PASSWORD_FILE")
    }
}
