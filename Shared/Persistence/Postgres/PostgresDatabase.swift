package import EventLoop
package import Logging
internal import ServiceLifecycle

/// A service's schema in a PostgreSQL database, which several processes of the service may share.
///
/// ```swift
/// let database = try await PostgresDatabase.open(
///     PostgresLocation(url: url), holder: "catalog", migrations: schema, loop: loop, logger: logger)
/// ```
/// Each write is one transaction, READ COMMITTED, on one of at most eight connections. The server groups the flushes.
/// Each read is one snapshot. Bodies run on the caller's executor, and on the database's own loop without any thread
/// hop.
///
/// Writers of different processes meet at rows: a body that reads a row before it changes it locks the row first
/// (``SQLDialect/lockRow``). A body that the server gives up because of another transaction is run again, three times
/// at most.
package final class PostgresDatabase: SQLDatabase {
    /// The most runs of a body that conflicts with other transactions.
    static let attemptsMax = 4

    private let pool: PostgresPool
    private let state: PostgresState
    /// The failures that an acknowledged commit survives.
    package let synchronous: DatabaseSynchronous

    private init(_ pool: PostgresPool, _ state: PostgresState, _ synchronous: DatabaseSynchronous) {
        self.pool = pool
        self.state = state
        self.synchronous = synchronous
    }

    /// Connects, checks the server's settings and brings the service's schema up to date.
    ///
    /// - Parameters:
    ///   - holder: The service's name, `payment-queue`. Its schema is `payment_queue`.
    ///   - migrations: The schema's steps, numbered from 1 without gaps.
    ///   - synchronous: The failures a commit survives.
    ///   - idleTime: The time without a statement after which the server ends a transaction.
    ///   - loop: The loop of the connections. Close the database before it.
    /// - Throws: ``PersistenceError`` with code `unavailable`, `cannotOpen`, `schemaMismatch`, `notDurable`.
    package static func open(
        _ location: PostgresLocation, holder: String, migrations: [Migration],
        synchronous: DatabaseSynchronous = .full, idleTime: Duration = PostgresSettings.idleTime, loop: UVLoop,
        logger: Logger
    ) async throws(PersistenceError) -> PostgresDatabase {
        let schema = holder.replacing("-", with: "_")
        let opening = PostgresOpening(
            schema: schema, migrations: migrations, synchronous: synchronous, idleTime: idleTime,
            address: location.address)
        let connector = PostgresConnector(location, applicationName: "storebus \(holder)", loop: loop)
        let state = PostgresState(address: "\(location.address), schema \(schema)", logger: logger)
        let pool = PostgresPool(loop: loop, state: state) { () throws(PersistenceError) in
            try await connector.connection { connection throws(PersistenceError) in
                _ = try await opening.prepare(connection)
                try await opening.finish(connection)
            }
        }
        let first = try await connector.connection { connection throws(PersistenceError) in
            let applied = try await opening.migrate(connection)
            logger.info(
                "database open",
                metadata: [
                    "place": "\(location.address)", "schema": "\(schema)", "steps": "\(migrations.count)",
                    "applied": "\(applied)",
                ])
            try await opening.finish(connection)
        }
        await pool.begin(with: first)
        return PostgresDatabase(pool, state, synchronous)
    }

    package func write<Output: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) async throws -> Output
    ) async throws -> Output {
        var attempt = 1
        while true {
            do {
                return try await writeOnce(body)
            } catch let error as PersistenceError where error.code == .conflict && attempt < Self.attemptsMax {
                attempt += 1
                // After a random delay: the conflicting transaction may still be running.
                try? await pool.loop.sleep(for: .milliseconds(Int.random(in: 1...10) * attempt))
            }
        }
    }

    private func writeOnce<Output: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) async throws -> Output
    ) async throws -> Output {
        let connection = try await pool.acquire()
        defer { pool.release(connection) }
        let session = PostgresSession(connection, begin: "BEGIN")
        do {
            let output = try await body(SQLTransaction(session))
            try await session.commit()
            state.finishedWrite(failed: false)
            return output
        } catch {
            session.rollBack()
            if error is PersistenceError { state.finishedWrite(failed: true) }
            throw error
        }
    }

    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (SQLReader) async throws -> Output
    ) async throws -> Output {
        let connection = try await pool.acquire()
        defer { pool.release(connection) }
        let session = PostgresSession(connection, begin: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        do {
            let output = try await body(SQLReader(session))
            if let failure = session.failure { throw failure }
            session.leave()
            state.finishedRead()
            return output
        } catch {
            session.rollBack()
            throw error
        }
    }

    package func close() async { await pool.close() }

    /// The reason why the server is away. Nil while a connection exists. The pool retries by itself.
    package var fault: PersistenceError? { state.fault }

    /// Counts of this process, not of the server.
    package var statistics: DatabaseStatistics { state.statistics }

    /// Announces each commit of this process.
    package var commits: CommitSignal { state.commits }

    /// Reads and writes that wait for a connection.
    package var waitingCount: Int { state.waitingCount }

    /// Always PostgreSQL's words.
    package var dialect: SQLDialect { .postgres }

    /// Keeps the database open until graceful shutdown, then closes it. It does not end when the server is away.
    package func run() async throws {
        try? await gracefulShutdown()
        await close()
    }
}

/// Opens connections without blocking the loop. Only the look-up of a host's name blocks, which is libpq's.
actor PostgresConnector {
    /// The time limit for one attempt, including all its waits.
    static let time: Duration = .seconds(5)

    nonisolated let loop: UVLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let location: PostgresLocation
    private let applicationName: String

    init(_ location: PostgresLocation, applicationName: String, loop: UVLoop) {
        self.location = location
        self.applicationName = applicationName
        self.loop = loop
    }

    /// Opens a connection and has `prepare` make it ready.
    /// - Throws: `unavailable` if the server is away, `cannotOpen` if it refuses the client, and the errors of
    ///   `prepare`.
    func connection(
        _ prepare: @Sendable (PostgresConnection) async throws(PersistenceError) -> Void
    ) async throws(PersistenceError) -> PostgresConnection {
        let connection = try await connect()
        await connection.start()
        do throws(PersistenceError) {
            try await prepare(connection)
            return connection
        } catch {
            await connection.close()
            throw error
        }
    }

    private func connect() async throws(PersistenceError) -> PostgresConnection {
        let attempt = try PostgresAttempt(location, applicationName: applicationName, loop: loop)
        let deadline = ContinuousClock.now + Self.time
        while true {
            switch attempt.step() {
            case .connected(let handle): return PostgresConnection(handle, loop: loop, address: location.address)
            case .failed(let error): throw error
            case .waits(let events):
                let failure = await withUnsafeContinuation { (waiter: PostgresAttempt.Waiter) in
                    attempt.wait(for: events, until: deadline, waiter)
                }
                if let failure {
                    attempt.giveUp()
                    throw failure
                }
            }
        }
    }
}
