import Synchronization

extension UVLoop {
    /// Runs `work` on the loop, after everything enqueued before it by the same thread. From the loop's own thread this
    /// costs neither a lock nor a wake-up; from others one wake-up per batch. After `close()`: see there.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        post(.work(work))
    }

    /// The Swift runtime's entry point. Priorities are ignored: jobs run in the order they come.
    package func enqueue(_ job: consuming ExecutorJob) {
        post(.job(UnownedJob(job)))
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        UnownedTaskExecutor(ordinary: self)
    }

    /// Called by `assumeIsolated` and `preconditionIsolated` of the actors pinned here.
    package func checkIsolated() {
        preconditionIsolated("the caller is not on the thread of loop \(name)")
    }

    /// Whether the caller is on the loop; `checkIsolated` stops the process instead.
    package func isIsolatingCurrentContext() -> Bool? { isCurrent }

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
        case .job(let job):
            job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
        }
    }
}
