internal import Foundation

/// Work that waits for a thread. Producers are tasks, which never block. The consumer is a thread, which does.
///
/// `@unchecked Sendable`: `jobs` and `isClosed` are touched only while `condition` is locked. A task cannot wait on
/// `Locked`.
final class JobInbox<Job: Sendable>: @unchecked Sendable {
    private let condition = NSCondition()
    private let countMax: Int
    private var jobs: [Job] = []
    private var isClosed = false

    /// - Parameter countMax: The number of jobs that may wait. The next one is refused.
    init(countMax: Int) { self.countMax = countMax }

    /// Adds a job, unless the inbox is closed or full.
    func add(_ job: Job) -> JobAdmission {
        condition.lock()
        defer { condition.unlock() }
        guard !isClosed else { return .closed }
        guard jobs.count < countMax else { return .full }
        jobs.append(job)
        condition.signal()
        return .accepted
    }

    var count: Int {
        condition.lock()
        defer { condition.unlock() }
        return jobs.count
    }

    /// Blocks until work comes. Takes up to `count` jobs in the order they came.
    /// - Returns: Nil if the inbox is closed and empty.
    func take(atMost count: Int) -> [Job]? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty {
            guard !isClosed else { return nil }
            condition.wait()
        }
        let taken = Array(jobs.prefix(count))
        jobs.removeFirst(taken.count)
        return taken
    }

    /// Refuses new jobs. Waiting jobs are still taken.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }
}

/// Whether an inbox took a job.
enum JobAdmission {
    case accepted
    case full
    case closed
}
