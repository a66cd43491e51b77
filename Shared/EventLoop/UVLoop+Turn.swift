internal import CLibUV
import DequeModule
import Glibc
import Synchronization

extension UVLoop {
    /// Whether the caller is on the loop's thread. After the loop has ended, on the thread that runs its late jobs.
    package var isCurrent: Bool {
        owner.load(ordering: .relaxed) == UInt(pthread_self())
    }

    /// Time since some point in the past, monotonic, unaffected by the wall clock. On the loop it is the time at which
    /// this turn began (milliseconds, free of charge), elsewhere the time now.
    package func uptime() -> Duration {
        isCurrent && isRunning ? .milliseconds(Int64(uv_now(uv))) : .nanoseconds(Int64(uv_hrtime()))
    }

    /// Runs `work` once at the end of this turn, before the loop polls again. Work that is registered meanwhile still
    /// belongs to this turn, unless that grows too long. On the loop only.
    package func atEndOfTurn(_ work: @escaping () -> Void) {
        preconditionIsolated()
        guard isRunning else { return work() }
        endOfTurnWork.append(work)
    }

    /// How often another thread had to wake the loop: once per batch of jobs.
    package var wakeUpCount: Int { wakeUps.load(ordering: .relaxed) }

    /// Microseconds from the first callback of the last turn to its end.
    package var lastTurnMicroseconds: UInt64 { lastTurn.load(ordering: .relaxed) }

    /// The longest turn since the last `resetLongestTurn()`, in microseconds. A ready socket had to wait that long.
    package var longestTurnMicroseconds: UInt64 { longestTurn.load(ordering: .relaxed) }

    /// Starts a new measurement and returns the old one's result, in microseconds.
    @discardableResult
    package func resetLongestTurn() -> UInt64 { longestTurn.exchange(0, ordering: .relaxed) }

    func sendWakeUp() {
        wakeUps.wrappingAdd(1, ordering: .relaxed)
        uv_async_send(wakeUp)
    }

    /// Starts the turn's clock at its first callback. Waiting in poll does not count.
    @inline(__always)
    func enterTurn() {
        if turnStart == 0 { turnStart = uv_hrtime() }
    }

    /// Takes the jobs that other threads have left. They run at the end of the turn with all others.
    func takeInbox() {
        enterTurn()
        inbox.withLock { swap(&$0.jobs, &spareJobs) }
        local.append(contentsOf: spareJobs)
        // After a burst the memory goes back.
        spareJobs.removeAll(keepingCapacity: spareJobs.count <= EventLoopLimits.jobsPerTurn)
    }

    /// Runs jobs, then end-of-turn work, then output, before the loop polls. It repeats that for their results, until
    /// no work is left or the turn has had its share.
    func finishTurn() {
        if hasWork { enterTurn() }
        var budget = EventLoopLimits.jobsPerTurn
        while budget > 0, hasWork {
            runJobs(&budget)
            runEndOfTurnWork(&budget)
            flushOutput(&budget)
        }
        // An active idle handle keeps poll from blocking while work waits.
        if hasWork { uv_idle_start(doNotBlock) { _ in } } else { uv_idle_stop(doNotBlock) }
        endIfNothingIsOpen()
        recordTurn()
    }

    private var hasWork: Bool { !(local.isEmpty && endOfTurnWork.isEmpty && handlesWithOutput.isEmpty) }

    private func runJobs(_ budget: inout Int) {
        while budget > 0, let job = local.popFirst() {
            run(job)
            budget -= 1
        }
    }

    private func runEndOfTurnWork(_ budget: inout Int) {
        swap(&endOfTurnWork, &spareWork)
        for work in spareWork { work() }
        budget -= spareWork.count
        spareWork.removeAll(keepingCapacity: true)
    }

    private func flushOutput(_ budget: inout Int) {
        // Work that was registered just now may write more, so it goes first.
        guard endOfTurnWork.isEmpty else { return }
        swap(&handlesWithOutput, &spareHandles)
        for stream in spareHandles { stream.flush() }
        budget -= spareHandles.count
        spareHandles.removeAll(keepingCapacity: true)
    }

    private func recordTurn() {
        guard turnStart != 0 else { return }
        let microseconds = (uv_hrtime() - turnStart) / 1000
        turnStart = 0
        lastTurn.store(microseconds, ordering: .relaxed)
        if microseconds > longestTurn.load(ordering: .relaxed) { longestTurn.store(microseconds, ordering: .relaxed) }
    }
}
