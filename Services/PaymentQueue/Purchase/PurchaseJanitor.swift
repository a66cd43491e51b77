import Logging
import StoreModels
import Synchronization

/// Drives what was left under way: by a process that died, by a request whose time was over, by a processor that was
/// away. Knows nothing by heart: each sweep reads the table.
package final class PurchaseJanitor: Sendable {
    /// Between two sweeps; monotonic.
    package static let interval: Duration = .milliseconds(500)
    /// Rows of one page of a sweep.
    static let pageSize = 256
    /// Purchases worked on at once.
    static let concurrency = 16
    /// For one attempt.
    static let attemptTime: Duration = .seconds(5)

    private let store: PurchaseStore
    private let driver: PurchaseDriver
    private let logger: Logger
    private let schedule = Mutex(RetrySchedule())

    package init(store: PurchaseStore, driver: PurchaseDriver, logger: Logger) {
        self.store = store
        self.driver = driver
        self.logger = logger
    }

    /// Tries every purchase that is due once.
    /// - Returns: how many are still unknown.
    @discardableResult
    package func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        var unknown = 0
        var after = ""
        while !Task.isCancelled {
            let page = try await store.unsettled(after: after, limit: Self.pageSize)
            unknown += await drive(page, now: now)
            guard page.count == Self.pageSize, let last = page.last else { break }
            after = last
        }
        return unknown
    }

    private func drive(_ page: [String], now: ContinuousClock.Instant) async -> Int {
        await withTaskGroup { group in
            var (running, unknown) = (0, 0)
            for id in page {
                if driver.board.isDriven(id) || !schedule.withLock({ $0.isDue(id, now: now) }) {
                    unknown += 1
                    continue
                }
                if running == Self.concurrency {
                    unknown += await group.next() == false ? 1 : 0
                    running -= 1
                }
                group.addTask { await self.attempt(id) }
                running += 1
            }
            for await settled in group where !settled { unknown += 1 }
            return unknown
        }
    }

    /// Tries one purchase out of turn, because there is news of its charge. Where somebody is at it, who may have been
    /// answered just before, the next sweep tries it again.
    func look(at id: String) async {
        guard driver.board.isDriven(id) else {
            _ = await attempt(id)
            return
        }
        schedule.withLock { $0.settled(id) }
    }

    /// - Returns: whether the purchase has ended.
    private func attempt(_ id: String) async -> Bool {
        var isSettled = false
        do {
            switch try await driver.drive(id, until: .now + Self.attemptTime) {
            case .now(let stored): isSettled = stored.isAtRest
            case .busy: isSettled = false
            case .gone: isSettled = true
            }
        } catch {
            logger.warning("purchase not resolved", metadata: ["transaction": "\(id)", "error": "\(error)"])
        }
        schedule.withLock { isSettled ? $0.settled(id) : $0.failed(id, now: .now) }
        return isSettled
    }
}
