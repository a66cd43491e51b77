internal import EventLoop
internal import Logging

/// The database's counts and first fault, for other threads.
final class DatabaseState: Sendable {
    private struct Facts {
        var statistics = DatabaseStatistics()
        var fault: PersistenceError?
    }

    private let facts = Locked(Facts())
    let commits = CommitSignal()
    /// The first fault, once. It ends when the database is closed.
    let faults: AsyncStream<PersistenceError>
    private let faultContinuation: AsyncStream<PersistenceError>.Continuation
    private let path: String
    private let logger: Logger

    init(path: String, logger: Logger) {
        (faults, faultContinuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        self.path = path
        self.logger = logger
    }

    var statistics: DatabaseStatistics { facts.withLock { $0.statistics } }
    var fault: PersistenceError? { facts.withLock { $0.fault } }

    func finishedGroup(of count: Int, failure: PersistenceError?) {
        let fault = facts.withLock { facts -> PersistenceError? in
            guard let failure else {
                facts.statistics.commits += 1
                facts.statistics.writes += count
                return nil
            }
            facts.statistics.failedCommits += 1
            // A full disk or a lock is over when it is over; a failed flush or a damaged page is not.
            guard facts.fault == nil, failure.code == .storageFailed || failure.code == .corrupted else { return nil }
            facts.fault = failure
            return failure
        }
        if let fault { faultContinuation.yield(fault) }
        guard let failure else { return commits.notify() }
        logger.error(
            "group commit failed", metadata: ["path": "\(path)", "error": "\(failure)", "requests": "\(count)"])
    }

    func finishedRead() {
        facts.withLock { $0.statistics.reads += 1 }
    }

    /// Ends `faults`, because every thread has ended.
    func finished() { faultContinuation.finish() }

    func finishedClosing(_ result: Result<Void, any Error>) {
        if case .failure(let error) = result {
            logger.warning("database not closed cleanly", metadata: ["path": "\(path)", "error": "\(error)"])
        }
    }
}

/// The counts of a database since it was opened. `writes / commits` is the mean size of a group.
package struct DatabaseStatistics: Hashable, Sendable {
    /// Groups that reached the disk.
    package var commits = 0
    /// Requests in those groups.
    package var writes = 0
    /// Groups that failed as a whole.
    package var failedCommits = 0
    /// Reads that have ended, failed ones included.
    package var reads = 0
}
