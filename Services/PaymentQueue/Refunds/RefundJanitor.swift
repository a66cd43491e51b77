import Logging
import StoreModels
import Synchronization

/// Tells the processor of refunds until it has answered, also those a process that died has left. Every replica may tell it
/// of the same one: a refund's key stands for one refund.
package final class RefundJanitor: Sendable {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// Rows of one page of a sweep.
    static let pageSize = 256
    /// Refunds at the processor at once.
    static let concurrency = 8
    /// For one attempt.
    static let attemptTime: Duration = .seconds(3)

    private let store: RefundStore
    private let desk: RefundDesk
    private let schedule = Mutex(RetrySchedule())

    package init(store: RefundStore, desk: RefundDesk) {
        self.store = store
        self.desk = desk
    }

    /// Tries every refund that is due once.
    /// - Returns: how many the processor has still to answer.
    @discardableResult
    package func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        var (open, after) = (0, "")
        while !Task.isCancelled {
            let page = try await store.open(after: after, limit: Self.pageSize)
            open += await send(page, now: now)
            guard page.count == Self.pageSize, let last = page.last else { break }
            after = last.key
        }
        return open
    }

    private func send(_ page: [StoredRefund], now: ContinuousClock.Instant) async -> Int {
        await withTaskGroup { group in
            var (running, open) = (0, 0)
            for refund in page {
                guard schedule.withLock({ $0.isDue(refund.key, now: now) }) else {
                    open += 1
                    continue
                }
                if running == Self.concurrency {
                    open += await group.next() == false ? 1 : 0
                    running -= 1
                }
                group.addTask { await self.attempt(refund) }
                running += 1
            }
            for await isDone in group where !isDone { open += 1 }
            return open
        }
    }

    private func attempt(_ refund: StoredRefund) async -> Bool {
        let isDone = await desk.send(refund, until: .now + Self.attemptTime)
        schedule.withLock { isDone ? $0.settled(refund.key) : $0.failed(refund.key, now: .now) }
        return isDone
    }
}
