import EventLoop

/// A health check that answers within a second, even when the check itself takes longer.
final class LimitedHealthCheck: Sendable {
    private struct Contents {
        var isRunning = false
        var waiters: [CheckedContinuation<HealthCheck, Never>] = []
    }

    private let check: @Sendable () async -> HealthCheck
    private let contents = Locked(Contents())

    init(_ check: @escaping @Sendable () async -> HealthCheck) { self.check = check }

    /// Runs the check, or waits for the run under way. A check that hangs is not started a second time.
    func run() async -> HealthCheck {
        let limit = Task {
            guard (try? await Task.sleep(for: BusServiceLimits.healthCheckTimeout)) != nil else { return }
            answer(.fail("no answer within \(BusServiceLimits.healthCheckTimeout)"), isOver: false)
        }
        defer { limit.cancel() }
        return await withCheckedContinuation { continuation in
            let isFirst = contents.withLock { contents in
                contents.waiters.append(continuation)
                defer { contents.isRunning = true }
                return !contents.isRunning
            }
            // Not a child task: a child that hangs would keep the answer from being given.
            if isFirst { Task { answer(await check(), isOver: true) } }
        }
    }

    private func answer(_ result: HealthCheck, isOver: Bool) {
        let waiters = contents.withLock { contents in
            if isOver { contents.isRunning = false }
            defer { contents.waiters = [] }
            return contents.waiters
        }
        for waiter in waiters { waiter.resume(returning: result) }
    }
}
