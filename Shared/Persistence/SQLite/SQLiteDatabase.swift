internal import Dispatch
internal import EventLoop
internal import FoundationEssentials
import Glibc
package import Logging
internal import PlantedBugs
internal import ServiceLifecycle
import Synchronization

/// A service's SQLite file: a writer and two read-only connections, each on its thread.
///
/// ```swift
/// let database = try SQLiteDatabase.open(
///     path: "\(data)/catalog.sqlite", holder: "catalog", migrations: schema, logger: logger)
/// ```
/// Bodies run on a database thread, straight through. Nothing blocks the caller's executor.
package final class SQLiteDatabase: SQLDatabase {
    /// Maximum number of waiting writes, and of waiting reads. Beyond it a call fails with `overloaded` immediately.
    package static let waitingMax = 8192
    /// Requests of one commit. It bounds the effect of one request's failure and the wait of the first one.
    static let groupMax = 256
    private static let readerCount = 2

    /// The database file. Its lock and log lie next to it.
    package let path: String
    /// The failures that an acknowledged commit survives.
    package let synchronous: DatabaseSynchronous
    private let writes = JobInbox<any DatabaseJob<SQLTransaction>>(countMax: waitingMax)
    private let reads = JobInbox<any DatabaseJob<SQLReader>>(countMax: waitingMax)
    /// The writer's thread, which ends last.
    private let ended = DispatchGroup()
    let state: DatabaseState

    /// Opens or creates the file, takes its lock and brings its schema up to date.
    ///
    /// The whole file is checked first if the machine may have ended under its last holder. This is so after a loss of
    /// power, after a move to another machine, or if the lock file is missing, as beside a copy.
    ///
    /// - Parameters:
    ///   - path: The file, in a directory that exists.
    ///   - holder: The service's name, reported to a second process that wants the file.
    ///   - migrations: The schema's steps, numbered from 1 without gaps.
    ///   - synchronous: The failures a commit survives.
    /// - Throws: ``PersistenceError`` with code `held`, `cannotOpen`, `corrupted`, `schemaMismatch`, `notDurable`.
    package static func open(
        path: String, holder: String, migrations: [Migration], synchronous: DatabaseSynchronous = .full, logger: Logger
    ) throws(PersistenceError) -> SQLiteDatabase {
        let lock = try LockFile(guarding: path, holder: holder)
        if try SQLiteFiles.makePrivate(path) {
            logger.warning(
                "other users could read the database until now; they may know keys in it",
                metadata: ["path": "\(path)"])
        }
        let writer = try SQLiteOpening.writer(path: path, synchronous: synchronous)
        // Only a machine that ends can leave the file in disorder, and reading all of it takes as long as it is large.
        if lock.lastEnd == .unknown {
            let start = ContinuousClock.now
            try SQLiteOpening.check(writer)
            logger.info("database checked", metadata: ["path": "\(path)", "took": "\(ContinuousClock.now - start)"])
        }
        lock.noteWhole()
        let applied = try Migrator(migrations, path: path).run(writer)
        try LogNumbers.raise(writer)
        var readers: [SQLiteConnection] = []
        for _ in 0..<readerCount { readers.append(try SQLiteOpening.reader(path: path)) }
        logger.info(
            "database open",
            metadata: ["path": "\(path)", "schema": "\(migrations.count)", "applied": "\(applied)"])
        return try SQLiteDatabase(
            path: path, synchronous: synchronous, lock: lock, writer: writer, readers: readers, logger: logger)
    }

    private init(
        path: String, synchronous: DatabaseSynchronous, lock: LockFile, writer: SQLiteConnection,
        readers: [SQLiteConnection], logger: Logger
    ) throws(PersistenceError) {
        self.path = path
        self.synchronous = synchronous
        let state = DatabaseState(path: path, logger: logger)
        self.state = state
        let readersEnded = DispatchGroup()
        do {
            for reader in readers {
                try DatabaseThread.start("sb-reader", readersEnded) { [reads] in
                    await Self.serve(reads, on: reader, state)
                }
            }
            try DatabaseThread.start("sb-writer", ended) { [writes] in
                await Self.serve(writes, on: writer, state)
                // The writer closes last, because only it can tidy the log up, and the lock goes after it.
                await withCheckedContinuation { continuation in
                    readersEnded.notify(queue: .global()) { continuation.resume() }
                }
                state.finishedClosing(Result { try writer.close() })
                lock.release(isInOrder: state.fault == nil)
                state.finished()
            }
        } catch {
            // Readers that run end.
            reads.close()
            throw PersistenceError(.cannotOpen, "\(path): \(error)")
        }
    }

    private static func serve(
        _ writes: JobInbox<any DatabaseJob<SQLTransaction>>, on writer: SQLiteConnection, _ state: DatabaseState
    ) async {
        let group = GroupCommit(writer)
        while let jobs = writes.take(atMost: groupMax) {
            var failure = state.fault
            if failure == nil { failure = await group.run(jobs) }
            state.finishedGroup(of: jobs.count, failure: failure)
            if group.acknowledgesEarly, failure == nil { continue }
            for job in jobs { job.deliver(failure: failure) }
        }
    }

    private static func serve(
        _ reads: JobInbox<any DatabaseJob<SQLReader>>, on reader: SQLiteConnection, _ state: DatabaseState
    ) async {
        let session = SQLiteSession(reader)
        let access = SQLReader(session)
        while let job = reads.take(atMost: 1)?.first {
            // In a transaction, so that all statements see the same commit. The body's error is its own result.
            var failure: PersistenceError?
            do throws(PersistenceError) {
                _ = try reader.run("BEGIN DEFERRED")
                session.begin()
                _ = await job.perform(access)
            } catch {
                failure = error
            }
            if reader.isInTransaction { _ = try? reader.run("ROLLBACK") }
            state.finishedRead()
            job.deliver(failure: failure)
        }
        state.finishedClosing(Result { try reader.close() })
    }

    deinit {
        writes.close()
        reads.close()
    }

    /// Runs `body` in the next group, and returns after its COMMIT. The commit has reached the disk then.
    ///
    /// A body that throws rolls back only its own changes, and its error is rethrown. Cancelling the task does not roll
    /// a write back.
    /// - Throws: The error of `body`, or a ``PersistenceError`` if the group could not be committed. Then the database
    ///   has no change of the group, and every call of the group fails, because each may have read another's writes.
    package func write<Output: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) async throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            let request = DatabaseRequest(body, continuation)
            if let refusal = refusal(writes.add(request)) { request.deliver(failure: refusal) }
        }
    }

    /// Runs `body` against one snapshot of the committed data. Writers neither wait for it nor disturb it.
    /// - Throws: The error of `body`, or a ``PersistenceError``.
    package func read<Output: Sendable>(
        _ body: @escaping @Sendable (SQLReader) async throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            let request = DatabaseRequest(body, continuation)
            if let refusal = refusal(reads.add(request)) { request.deliver(failure: refusal) }
        }
    }

    /// Lets waiting work finish, then closes the connections. Later calls fail with `closed`. May be called again.
    package func close() async {
        writes.close()
        reads.close()
        await withCheckedContinuation { continuation in
            ended.notify(queue: .global()) { continuation.resume() }
        }
    }

    /// Writes that the writer's thread has not begun.
    package var waitingWrites: Int { writes.count }

    /// Always SQLite's words.
    package var dialect: SQLDialect { .sqlite }

    /// Counts since this process opened the file.
    package var statistics: DatabaseStatistics { state.statistics }

    /// Announces each commit of this process.
    package var commits: CommitSignal { state.commits }

    /// The reason why no write is taken any more, or nil in health. After a commit whose flush failed, the content of
    /// the disk is unknown. Trying again may report a false success, so the process has to be started again. The
    /// service's health check reports it.
    package var fault: PersistenceError? { state.fault }

    private func refusal(_ admission: JobAdmission) -> PersistenceError? {
        switch admission {
        case .accepted: nil
        case .full: PersistenceError(.overloaded, "\(path): more than \(Self.waitingMax) requests wait for it")
        case .closed: PersistenceError(.closed, "\(path) is closed")
        }
    }
}

/// Runs alongside the endpoints that use the database and closes it after them. A service's `build` returns it.
extension SQLiteDatabase {
    /// Keeps the database open until graceful shutdown, then closes it.
    ///
    /// - Throws: ``fault`` as soon as it occurs, so that the process ends and is started again. It then recovers from
    ///   the log, and a failed flush is never tried twice.
    package func run() async throws {
        let fault = await cancelWhenGracefulShutdown { [state] in
            await state.faults.first { _ in true }
        }
        await close()
        if let fault { throw fault }
    }
}

/// The failures that an acknowledged commit survives, `database.synchronous`.
///
/// Every value but `full` is for measuring the cost of durability, and for the check that it can be lost at all.
package enum DatabaseSynchronous: String, CaseIterable, Sendable {
    /// The loss of power: the commit is on the disk. The only setting of a store that sells.
    case full
    /// The end of the process. PostgreSQL treats it as `off`.
    case normal
    /// The end of the process. SQLite may leave the file in disorder when the power fails.
    case off

    /// The warning about a weaker setting, for the start and the health. Nil for `full`.
    package var weakness: String? {
        self == .full ? nil : "synchronous is \(rawValue): acknowledged commits are lost when the power fails"
    }
}

/// A thread that runs one task of blocking work: disk access and waits.
///
/// It is the task's executor. A body that only does SQL never suspends, so it runs straight through. One that does
/// suspend comes back here, and meanwhile the thread waits for it alone.
final class DatabaseThread: TaskExecutor {
    private let jobs = JobInbox<UnownedJob>(countMax: .max)

    /// Runs `work` on a thread of its own.
    /// - Parameter ended: Left when the thread ends.
    /// - Throws: If the kernel gives no thread.
    static func start(
        _ name: String, _ ended: DispatchGroup, _ work: @escaping @Sendable () async -> Void
    ) throws(UVError) {
        let executor = DatabaseThread()
        ended.enter()
        do {
            try DetachedThread.start(name: name) {
                executor.serve()
                ended.leave()
            }
        } catch {
            ended.leave()
            throw error
        }
        Task(executorPreference: executor) {
            await work()
            executor.jobs.close()
        }
    }

    /// Takes a job of the runtime: the task's first step, or a later one.
    func enqueue(_ job: consuming ExecutorJob) {
        _ = jobs.add(UnownedJob(job))
    }

    private func serve() {
        while let job = jobs.take(atMost: 1)?.first { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// Runs the waiting writes as one transaction: BEGIN IMMEDIATE, the bodies in turn, one COMMIT. So a group costs one
/// flush to the disk.
///
/// A body that throws takes back its own changes only. A savepoint for each body would do that, but SQLite copies every
/// page that is written after one. So a group runs without savepoints first. If a body that has written throws, the
/// group is rolled back and runs again with them.
struct GroupCommit {
    private let connection: SQLiteConnection
    private let session: SQLiteSession
    private let transaction: SQLTransaction

    init(_ connection: SQLiteConnection) {
        self.connection = connection
        session = SQLiteSession(connection)
        transaction = SQLTransaction(session)
    }

    /// Runs and commits a group.
    ///
    /// - Returns: Nil after the commit, or the failure of the whole group. The database then has no change of the
    ///   group.
    func run(_ jobs: [any DatabaseJob<SQLTransaction>]) async -> PersistenceError? {
        do throws(PersistenceError) {
            _ = try connection.run("BEGIN IMMEDIATE")
            if try await !isPerformed(jobs) {
                _ = try connection.run("ROLLBACK")
                _ = try connection.run("BEGIN IMMEDIATE")
                for job in jobs { try await performInSavepoint(job) }
            }
            if acknowledgesEarly { acknowledge(jobs) }
            _ = try connection.run("COMMIT")
            return nil
        } catch {
            // After some failures (a full disk, an I/O error) SQLite has rolled back by itself.
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
            return error
        }
    }

    /// Runs the bodies without savepoints, until one that has written throws.
    /// - Returns: False if one did. Its writes are still there.
    /// - Throws: The error that rolled back the whole transaction.
    private func isPerformed(_ jobs: [any DatabaseJob<SQLTransaction>]) async throws(PersistenceError) -> Bool {
        for job in jobs {
            let thrown = try await perform(job)
            if thrown != nil, session.hasWritten { return false }
        }
        return true
    }

    /// Runs one body in a savepoint. A body that throws loses its own savepoint only.
    /// - Throws: The error that rolled back the whole transaction.
    private func performInSavepoint(_ job: any DatabaseJob<SQLTransaction>) async throws(PersistenceError) {
        _ = try connection.run("SAVEPOINT request")
        if try await perform(job) != nil { _ = try connection.run("ROLLBACK TO request") }
        _ = try connection.run("RELEASE request")
    }

    /// Runs one body.
    /// - Returns: The error that it threw.
    /// - Throws: The error that rolled back the whole transaction.
    private func perform(_ job: any DatabaseJob<SQLTransaction>) async throws(PersistenceError) -> (any Error)? {
        session.begin()
        let thrown = await job.perform(transaction)
        guard connection.isInTransaction else {
            throw thrown as? PersistenceError
                ?? PersistenceError(
                    .storageFailed, "\(connection.path): the transaction was rolled back by the engine")
        }
        return thrown
    }
}

extension GroupCommit {
    /// Whether results are handed out before the commit (``PlantedBug/acknowledgeBeforeCommit``).
    ///
    /// Only the payment queue's: a gateway that reads back its own writes would not even start.
    var acknowledgesEarly: Bool {
        PlantedBug.isActive(.acknowledgeBeforeCommit) && connection.path.hasSuffix("payment-queue.sqlite")
    }

    /// Hands out the results of a group that is not committed, and lets the disk take its time.
    private func acknowledge(_ jobs: [any DatabaseJob<SQLTransaction>]) {
        for job in jobs { job.deliver(failure: nil) }
        usleep(50_000)
    }
}

/// The files of one SQLite database.
enum SQLiteFiles {
    /// Makes the database and its log private to their owner. A new database is private from the beginning. SQLite
    /// gives the files next to a database the database's mode.
    /// - Returns: Whether other users could read the existing files.
    /// - Throws: `cannotOpen` with the remedy.
    static func makePrivate(_ path: String) throws(PersistenceError) -> Bool {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        // One that is there, and one that cannot be made, SQLite itself says more of.
        if descriptor >= 0 { close(descriptor) }
        var wasOpen = false
        do throws(FilePrivacy.Refusal) {
            for file in [path, "\(path)-wal", "\(path)-shm"] where try FilePrivacy.tighten(file) == .tightened {
                wasOpen = true
            }
        } catch {
            throw PersistenceError(.cannotOpen, error.description)
        }
        return wasOpen
    }
}
