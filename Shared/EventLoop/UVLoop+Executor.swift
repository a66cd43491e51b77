import Synchronization

extension UVLoop {
    /// Runs `work` on the loop, after everything enqueued before it by the same thread. From the loop's own thread this
    /// costs neither a lock nor a wake-up. From others it costs one wake-up per batch. For calls after `close()`, see
    /// there.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        post(.work(work))
    }

    /// The Swift runtime's entry point for tasks that prefer the loop. Priorities are ignored: jobs run in the order
    /// they come.
    package func enqueue(_ job: consuming ExecutorJob) {
        post(.task(UnownedJob(job)))
    }

    /// Returns the executor of the actors pinned to the loop, which must keep the loop.
    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: isolation)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// Stops the process unless called on the loop. Every handle method begins with it.
    @inline(__always)
    package func preconditionIsolated(
        _ message: @autoclosure () -> String = "called off the loop's thread",
        file: StaticString = #fileID, line: UInt = #line
    ) {
        precondition(isCurrent, message(), file: file, line: line)
    }

    func post(_ job: LoopJob) {
        if isCurrent && isRunning {
            local.append(job)
            return
        }
        inbox.withLock { inbox in
            inbox.jobs.append(job)
            switch inbox.phase {
            case .idle, .running:
                // The lock is held during the send, so the handle cannot be closed under it.
                if inbox.jobs.count == 1 { sendWakeUp() }
            case .ending:
                break
            case .closed:
                scheduleLateRun(&inbox)
            }
        }
    }

    func run(_ job: LoopJob) {
        switch job {
        case .work(let work): work()
        case .task(let job): job.runSynchronously(on: asUnownedTaskExecutor())
        case .isolated(let job):
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}

/// Runs the actors pinned to a loop. It is an object of its own, so that a job says for whom it is: nonisolated code that
/// runs as an actor's would be enqueued again by the runtime after each call that returns.
final class LoopIsolation: SerialExecutor, @unchecked Sendable {
    // Why unchecked: `loop` is set once, by the loop's initializer, and owns this object; actors keep both.

    /// The loop. Nil only before it has set itself.
    @exclusivity(unchecked) unowned(unsafe) var loop: UVLoop?

    func enqueue(_ job: consuming ExecutorJob) {
        guard let loop else { preconditionFailure("a loop sets itself before it has an actor") }
        loop.post(.isolated(UnownedJob(job)))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Stops the process off the loop, for `assumeIsolated` and `preconditionIsolated`.
    func checkIsolated() { loop?.preconditionIsolated("the caller is not on the thread of the actor's loop") }

    /// Whether the caller is on the loop. `checkIsolated` stops the process instead.
    func isIsolatingCurrentContext() -> Bool? { loop?.isCurrent }
}
