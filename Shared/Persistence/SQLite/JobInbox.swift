internal import Dispatch
internal import EventLoop

/// Work that waits for a thread. Producers are tasks, which never block. The consumer is a thread, which does.
final class JobInbox<Job: Sendable>: Sendable {
    private struct State {
        var jobs: [Job] = []
        var isClosed = false
        /// Number of threads that wait for ``wakeups``, each for one signal.
        var waiting = 0
    }

    private let state = Locked(State())
    private let wakeups = DispatchSemaphore(value: 0)
    private let countMax: Int

    /// - Parameter countMax: The number of jobs that may wait. The next one is refused.
    init(countMax: Int) { self.countMax = countMax }

    /// Adds a job, unless the inbox is closed or full.
    func add(_ job: Job) -> JobAdmission {
        let (admission, wakes) = state.withLock { state in
            guard !state.isClosed else { return (JobAdmission.closed, false) }
            guard state.jobs.count < countMax else { return (.full, false) }
            state.jobs.append(job)
            guard state.waiting > 0 else { return (.accepted, false) }
            state.waiting -= 1
            return (.accepted, true)
        }
        if wakes { wakeups.signal() }
        return admission
    }

    var count: Int { state.withLock { $0.jobs.count } }

    /// Blocks until work comes. Takes up to `count` jobs in the order they came.
    /// - Returns: Nil if the inbox is closed and empty.
    func take(atMost count: Int) -> [Job]? {
        while true {
            let taken: [Job]? = state.withLock { state in
                if state.jobs.isEmpty {
                    if state.isClosed { return nil }
                    state.waiting += 1
                    return []
                }
                let taken = Array(state.jobs.prefix(count))
                state.jobs.removeFirst(taken.count)
                return taken
            }
            guard let taken else { return nil }
            guard taken.isEmpty else { return taken }
            wakeups.wait()
        }
    }

    /// Refuses new jobs. Waiting jobs are still taken.
    func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = 0 }
            return state.waiting
        }
        for _ in 0..<waiting { wakeups.signal() }
    }
}

/// Whether an inbox took a job.
enum JobAdmission {
    case accepted
    case full
    case closed
}
