internal import EventLoop
internal import Logging

/// The database's counts and whether the server is reachable, for callers outside its loop.
final class PostgresState: Sendable {
    private struct Facts {
        var statistics = DatabaseStatistics()
        var away: PersistenceError?
        var waiting = 0
    }

    private let facts = Locked(Facts())
    let commits = CommitSignal()
    private let address: String
    private let logger: Logger

    init(address: String, logger: Logger) {
        self.address = address
        self.logger = logger
    }

    var statistics: DatabaseStatistics { facts.withLock { $0.statistics } }
    /// The reason why the server is away. Nil while a connection exists.
    var fault: PersistenceError? { facts.withLock { $0.away } }
    var waitingCount: Int { facts.withLock { $0.waiting } }

    var closed: PersistenceError { PersistenceError(.closed, "\(address) is closed") }
    var overloaded: PersistenceError {
        PersistenceError(.overloaded, "\(address): more than \(SQLiteDatabase.waitingMax) requests wait for it")
    }

    func waiting(_ count: Int) { facts.withLock { $0.waiting = count } }

    func finishedRead() { facts.withLock { $0.statistics.reads += 1 } }

    func finishedWrite(failed: Bool) {
        facts.withLock { facts in
            if failed {
                facts.statistics.failedCommits += 1
            } else {
                facts.statistics.commits += 1
                facts.statistics.writes += 1
            }
        }
        if !failed { commits.notify() }
    }

    func isAway(_ error: PersistenceError) {
        let isNew = facts.withLock { facts in
            defer { facts.away = error }
            return facts.away?.code != error.code
        }
        if isNew { logger.error("database away", metadata: ["place": "\(address)", "error": "\(error)"]) }
    }

    func isBack() {
        let wasAway = facts.withLock { facts in
            defer { facts.away = nil }
            return facts.away != nil
        }
        if wasAway { logger.notice("database back", metadata: ["place": "\(address)"]) }
    }
}
