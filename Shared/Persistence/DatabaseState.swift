internal import Logging
import Synchronization

/// What the database threads tell everybody else: counts, and whether the disk can still be trusted.
final class DatabaseState: Sendable {
    private struct Facts {
        var statistics = DatabaseStatistics()
        var fault: PersistenceError?
    }

    private let facts = Mutex(Facts())
    private let path: String
    private let logger: Logger

    init(path: String, logger: Logger) {
        self.path = path
        self.logger = logger
    }

    var statistics: DatabaseStatistics { facts.withLock { $0.statistics } }
    var fault: PersistenceError? { facts.withLock { $0.fault } }

    func finishedGroup(of count: Int, failure: PersistenceError?) {
        facts.withLock { facts in
            guard let failure else {
                facts.statistics.commits += 1
                facts.statistics.writes += count
                return
            }
            facts.statistics.failedCommits += 1
            // A full disk or a lock is over when it is over; a failed flush or a damaged page is not.
            if failure.code == .storageFailed || failure.code == .corrupted { facts.fault = facts.fault ?? failure }
        }
        if let failure {
            logger.error("group commit failed", metadata: ["path": "\(path)", "error": "\(failure)", "requests": "\(count)"])
        }
    }

    func finishedRead() {
        facts.withLock { $0.statistics.reads += 1 }
    }

    func finishedClosing(_ result: Result<Void, any Error>) {
        if case .failure(let error) = result {
            logger.warning("database not closed cleanly", metadata: ["path": "\(path)", "error": "\(error)"])
        }
    }
}
