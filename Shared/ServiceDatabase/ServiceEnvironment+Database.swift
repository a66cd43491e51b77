import Foundation
import Logging
import Operations
import Persistence

extension ServiceEnvironment {
    /// Opens the service's database where the settings say, and brings its schema up to date.
    ///
    /// | key | environment | |
    /// |---|---|---|
    /// | `database.url` | `DATABASE_URL` | `postgres://user@host:5432/db`; without it `<data directory>/<service>.sqlite` |
    /// | `database.password.file` | `DATABASE_PASSWORD_FILE` | a file with the password, instead of one in the URL |
    /// | `database.synchronous` | `DATABASE_SYNCHRONOUS` | `full`; `normal` and `off` lose acknowledged commits and are for measuring |
    ///
    /// On PostgreSQL a service has a schema of its own, `payment_queue`, and any number of processes; a SQLite file has
    /// one process. A server that is away, as while it recovers from a crash, is waited for.
    /// - Throws: ``StartupError`` that names the place, what is wrong with it and the remedy.
    package func openDatabase(_ migrations: [Migration]) async throws(StartupError) -> any SQLDatabase {
        let synchronous = try configuration.choice("database.synchronous", default: DatabaseSynchronous.full)
        let database = try await open(migrations, synchronous)
        if let weakness = synchronous.weakness {
            logger.warning("\(weakness)", metadata: ["database.synchronous": "\(synchronous.rawValue)"])
        }
        return database
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
            return try await DatabaseArrival(logger: logger).wait { () throws(PersistenceError) in
                try await PostgresDatabase.open(
                    location, holder: process.name, migrations: migrations, synchronous: synchronous, loop: loop,
                    logger: logger)
            } pausing: {
                try? await Task.sleep(for: $0)
            }
        } catch {
            throw StartupError(ProcessExit(rawValue: error.exitCode) ?? .bug, error.message)
        }
    }

    private func password() throws(StartupError) -> String? {
        guard let path = try configuration.string("database.password.file") else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw StartupError(.badConfiguration, "the file of DATABASE_PASSWORD_FILE, \(path), cannot be read")
        }
        let password = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !password.isEmpty else {
            throw StartupError(.badConfiguration, "the file of DATABASE_PASSWORD_FILE, \(path), is empty")
        }
        return password
    }
}
