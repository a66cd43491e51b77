import EventLoop
import PlantedBugs
import ServiceLifecycle

@testable import Persistence

/// One life of a process: from its start until it crashes.
final class SimulatedLife: Sendable {
    /// The error of everything that a dead process still asks for.
    static let over = PersistenceError(.closed, "this process has crashed")

    let executor: SimulationExecutor
    let faults: SimulatedFaults
    private let death: @Sendable () -> Void
    private let isOver = Locked(false)

    /// - Parameter death: Runs once, when the process crashes.
    init(_ executor: SimulationExecutor, _ faults: SimulatedFaults, death: @escaping @Sendable () -> Void) {
        self.executor = executor
        self.faults = faults
        self.death = death
    }

    var isDead: Bool { isOver.withLock { $0 } }

    /// Ends the process. Its tasks end without effects: all of their next calls throw.
    func crash() {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        if isFirst { death() }
    }

    /// Reaches a place at which the process may die.
    func reach(_ place: SimulatedFault.Place) throws(PersistenceError) {
        if !isDead, faults.next(place) == .crash { crash() }
        try check()
    }

    func check() throws(PersistenceError) {
        if isDead { throw Self.over }
    }
}

/// A database in memory. It survives the processes that use it.
final class SimulatedDisk: Sendable {
    let statement: SimulatedFault.Place
    let commit: SimulatedFault.Place
    private let connection: SQLiteConnection
    private let contents = Locked((isTaken: false, commits: 0))

    init(
        _ name: String, _ migrations: [Migration], statement: SimulatedFault.Place, commit: SimulatedFault.Place
    ) throws {
        (self.statement, self.commit) = (statement, commit)
        connection = try SQLiteConnection(path: ":memory:", isReader: false)
        try connection.script("PRAGMA foreign_keys = ON")
        _ = try Migrator(migrations, path: name).run(connection)
    }

    /// Whether a transaction is open.
    var isTaken: Bool { contents.withLock { $0.isTaken } }
    /// The number of commits.
    var commits: Int { contents.withLock { $0.commits } }

    /// Reads rows outside of the world, which is no step.
    func rows(_ sql: String, _ arguments: SQLValue...) throws -> [SQLRow] { try connection.run(sql, arguments).rows }

    fileprivate func session(of life: SimulatedLife) -> SimulatedSession {
        SimulatedSession(SQLiteSession(connection), life, statement)
    }

    fileprivate func begin() throws {
        precondition(!isTaken, "a body has suspended inside its transaction")
        _ = try connection.run("BEGIN IMMEDIATE")
        contents.withLock { $0.isTaken = true }
    }

    fileprivate func end() throws {
        _ = try connection.run("COMMIT")
        contents.withLock { contents in
            contents.isTaken = false
            contents.commits += 1
        }
    }

    /// Takes an open transaction back.
    func rollBack() {
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        contents.withLock { $0.isTaken = false }
    }
}

/// A process's database, whose calls are steps and may be the process's last.
///
/// A call waits for its turn and for its answer. Between them it runs straight through, as on SQLite's only writer.
final class SimulatedDatabase: SQLDatabase {
    /// The number of steps that a commit takes after its early acknowledgement.
    private static let slowCommit = 150

    private let disk: SimulatedDisk
    private let life: SimulatedLife
    private let isAcknowledgedEarly: Bool
    private let committed: @Sendable () -> Void
    let commits = CommitSignal()

    /// - Parameters:
    ///   - isAcknowledgedEarly: Whether it stands in for the file that ``PlantedBug/acknowledgeBeforeCommit`` is about.
    ///   - committed: Runs after each commit.
    init(
        _ disk: SimulatedDisk, _ life: SimulatedLife, isAcknowledgedEarly: Bool = false,
        committed: @escaping @Sendable () -> Void
    ) {
        (self.disk, self.life, self.committed) = (disk, life, committed)
        self.isAcknowledgedEarly = isAcknowledgedEarly && PlantedBug.isActive(.acknowledgeBeforeCommit)
    }

    var fault: PersistenceError? { nil }
    var synchronous: DatabaseSynchronous { .full }
    var statistics: DatabaseStatistics { DatabaseStatistics() }
    var dialect: SQLDialect { .sqlite }
    func close() async {}
    func run() async throws {}

    func write<Output: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) async throws -> Output
    ) async throws -> Output {
        await life.executor.pause()
        // Only while a commit is late.
        while disk.isTaken, !life.isDead { await life.executor.pause() }
        try life.check()
        let output = try await transaction(body)
        await life.executor.pause()
        try life.check()
        return output
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (SQLReader) async throws -> Output
    ) async throws -> Output {
        await life.executor.pause()
        try life.check()
        let session = disk.session(of: life)
        let output = try await body(SQLReader(session))
        if let failure = session.failure { throw failure }
        await life.executor.pause()
        try life.check()
        return output
    }

    private func transaction<Output: Sendable>(
        _ body: @escaping @Sendable (SQLTransaction) async throws -> Output
    ) async throws -> Output {
        try disk.begin()
        let session = disk.session(of: life)
        let output: Output
        do {
            output = try await body(SQLTransaction(session))
            if let failure = session.failure { throw failure }
            try life.check()
        } catch {
            disk.rollBack()
            throw error
        }
        if isAcknowledgedEarly { commitLater() } else { try commit() }
        return output
    }

    private func commit() throws {
        let effect = life.faults.next(disk.commit)
        switch effect {
        case .crash: life.crash()
        case .diskFull: disk.rollBack()
        case .unknownUnwritten: disk.rollBack()
        default:
            try disk.end()
            commits.notify()
            committed()
        }
        switch effect {
        case .crash: throw SimulatedLife.over
        case .diskFull: throw PersistenceError(.storageFull, "the disk is full")
        case .unknownWritten, .unknownUnwritten: throw PersistenceError(.outcomeUnknown, "the commit was not answered")
        case .crashAfter:
            life.crash()
            throw SimulatedLife.over
        default: break
        }
    }

    /// Commits after the result was handed out (``PlantedBug/acknowledgeBeforeCommit``).
    private func commitLater() {
        life.executor.perform(after: Self.slowCommit) { [disk, life, commits, committed] in
            // A crash has taken the transaction back.
            guard !life.isDead, (try? disk.end()) != nil else { return }
            commits.notify()
            committed()
        }
    }
}

/// Statements of one request.
private final class SimulatedSession: SQLSession {
    private let session: SQLiteSession
    private let life: SimulatedLife
    private let place: SimulatedFault.Place
    private var struck: PersistenceError?

    init(_ session: SQLiteSession, _ life: SimulatedLife, _ place: SimulatedFault.Place) {
        (self.session, self.life, self.place) = (session, life, place)
    }

    var dialect: SQLDialect { .sqlite }
    var failure: PersistenceError? { struck ?? session.failure }

    private func step(_ sql: String) throws(PersistenceError) {
        if let struck { throw struck }
        life.executor.note(sql.utf8.count)
        do throws(PersistenceError) {
            try life.reach(place)
        } catch {
            struck = error
            throw error
        }
    }

    func run(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> SQLResult {
        try step(sql)
        return try await session.run(sql, arguments, rowsMax: rowsMax)
    }

    func insert(
        _ sql: String, _ arguments: [SQLValue], numberedBy column: String
    ) async throws(PersistenceError) -> Int64? {
        try step(sql)
        return try await session.insert(sql, arguments, numberedBy: column)
    }

    func start(_ sql: String, _ arguments: [SQLValue], rowsMax: Int) async throws(PersistenceError) -> StartedQuery {
        try step(sql)
        return try await session.start(sql, arguments, rowsMax: rowsMax)
    }

    func send(_ sql: String, _ arguments: [SQLValue]) async throws(PersistenceError) {
        try step(sql)
        try await session.send(sql, arguments)
    }
}
