/// One piece of work for the loop: a job of the Swift runtime, or a plain closure.
enum LoopJob: Sendable {
    case job(UnownedJob)
    case work(@Sendable () -> Void)
}

/// What other threads leave for the loop, and the life of the loop as they see it. Guarded by the loop's mutex.
struct LoopInbox: ~Copyable {
    /// How far the loop has come. It only moves forward.
    enum Phase {
        /// Made, not yet running. Jobs wait.
        case idle
        /// Some thread runs it. Jobs are taken once per wake-up.
        case running
        /// Its own handles are closing. Jobs wait for the loop thread to end, since nothing can wake it any more.
        case ending
        /// The loop thread has ended. Jobs go to the loop's dispatch queue.
        case closed
    }

    var phase = Phase.idle
    /// Jobs in the order they came.
    var jobs: [LoopJob] = []
    /// A thread has claimed running the loop.
    var runClaimed = false
    /// `close()` was called.
    var closeRequested = false
    /// The dispatch queue has been asked to run the jobs that came after the end.
    var lateRunScheduled = false
    /// Callers waiting in `close()`.
    var closers: [CheckedContinuation<Void, Never>] = []
}
