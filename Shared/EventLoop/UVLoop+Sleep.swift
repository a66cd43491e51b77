extension UVLoop {
    /// Suspends the task for `duration` of monotonic time. The task may run anywhere, but the timer is on the loop.
    /// - Throws: If the task is cancelled, or if the loop closes meanwhile or is closed.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        let sleeper = Sleeper(loop: self)
        let completed = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                execute { sleeper.start(duration, continuation) }
            }
        } onCancel: {
            execute { sleeper.wake(completed: false) }
        }
        if !completed { throw CancellationError() }
    }
}

/// One sleep. Unchecked, because it travels between the sleeping task and the loop as a reference only. Its state is
/// touched on the loop.
private final class Sleeper: @unchecked Sendable {
    private let loop: UVLoop
    private var timer: LoopTimer?
    private var continuation: CheckedContinuation<Bool, Never>?
    /// Whether it has ended. A cancellation may overtake the start.
    private var isOver = false

    init(loop: UVLoop) { self.loop = loop }

    func start(_ duration: Duration, _ continuation: CheckedContinuation<Bool, Never>) {
        let timer = LoopTimer(loop: loop)
        if isOver || timer.isClosed {
            timer.close()
            return continuation.resume(returning: false)
        }
        self.continuation = continuation
        self.timer = timer
        timer.afterClose = { self.wake(completed: false) }
        timer.start(after: duration) { self.wake(completed: true) }
    }

    func wake(completed: Bool) {
        isOver = true
        let waiting = continuation
        continuation = nil
        timer?.close()
        timer = nil
        waiting?.resume(returning: completed)
    }
}
