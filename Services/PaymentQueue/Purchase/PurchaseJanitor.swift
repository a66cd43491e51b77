import Logging
import ServiceDatabase

/// Drives what was left under way: by a process that died, by a request whose time was over, by a processor that was
/// away. Knows nothing by heart: each sweep reads the table.
package final class PurchaseJanitor: Sendable {
    /// Between two sweeps; monotonic.
    package static let interval: Duration = .milliseconds(500)
    /// Purchases worked on at once.
    static let concurrency = 16
    /// For one attempt.
    static let attemptTime: Duration = .seconds(5)

    private let store: PurchaseStore
    private let driver: PurchaseDriver
    private let logger: Logger
    private let retries = RetrySweep(concurrency: concurrency)

    package init(store: PurchaseStore, driver: PurchaseDriver, logger: Logger) {
        self.store = store
        self.driver = driver
        self.logger = logger
    }

    /// Tries every purchase that is due once.
    /// - Returns: how many are still unknown.
    @discardableResult
    package func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        try await retries.run(now: now, id: \.self) { [store] after, limit in
            try await store.unsettled(after: after, limit: limit)
        } isTaken: { [driver] id in
            driver.board.isDriven(id)
        } attempt: { id in
            await self.drive(id)
        }
    }

    /// Tries one purchase out of turn, because there is news of its charge. Where somebody is at it, who may have been
    /// answered just before, the next sweep tries it again.
    func look(at id: String) async {
        guard driver.board.isDriven(id) else {
            _ = await retries.attempt(id) { await drive(id) }
            return
        }
        retries.hurry(id)
    }

    /// - Returns: whether the purchase has ended.
    private func drive(_ id: String) async -> Bool {
        do {
            switch try await driver.drive(id, until: .now + Self.attemptTime) {
            case .now(let stored): return stored.isAtRest
            case .busy: return false
            case .gone: return true
            }
        } catch {
            logger.warning("purchase not resolved", metadata: ["transaction": "\(id)", "error": "\(error)"])
            return false
        }
    }
}
