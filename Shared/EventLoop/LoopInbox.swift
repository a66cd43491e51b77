/// A job of the Swift runtime, or a closure, for the loop to run.
enum LoopJob: Sendable {
    /// Of a task that prefers the loop, outside of actors.
    case task(UnownedJob)
    /// Of an actor pinned to the loop.
    case isolated(UnownedJob)
    case work(@Sendable () -> Void)
}

/// The jobs that other threads leave for the loop, and the loop's phase. Guarded by the loop's mutex.
struct LoopInbox: ~Copyable {
    /// The phase of the loop's life. It only moves forward.
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
    /// Whether a thread has claimed running the loop.
    var runClaimed = false
    /// Whether `close()` was called.
    var closeRequested = false
    /// Whether the dispatch queue is about to run the jobs that came after the end.
    var lateRunScheduled = false
    /// Callers waiting in `close()`.
    var closers: [CheckedContinuation<Void, Never>] = []
}
