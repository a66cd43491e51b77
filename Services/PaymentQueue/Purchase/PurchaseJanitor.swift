import Logging
import ServiceDatabase
import Synchronization

/// Drives what was left under way: by a process that died, by a request whose time was over, by a processor that was
/// away. Keeps nothing in memory: each sweep reads the table.
final class PurchaseJanitor: Sendable {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// Purchases worked on at once.
    static let concurrency = 16
    /// For one attempt.
    static let attemptTime: Duration = .seconds(5)

    private let store: PurchaseStore
    private let driver: PurchaseDriver
    private let logger: Logger
    private let retries = RetrySweep(concurrency: concurrency)

    init(store: PurchaseStore, driver: PurchaseDriver, logger: Logger) {
        self.store = store
        self.driver = driver
        self.logger = logger
    }

    /// Tries every purchase that is due once, and again while some have ended: others may have waited for them.
    /// - Returns: how many are still unknown.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        while true {
            let ended = Atomic(0)
            let undone = try await retries.run(now: now, id: \.self) { [store] after, limit in
                try await store.unsettled(after: after, limit: limit)
            } isTaken: { [driver] id in
                driver.board.isDriven(id)
            } attempt: { id in
                guard await self.drive(id) else { return false }
                ended.add(1, ordering: .relaxed)
                return true
            }
            if ended.load(ordering: .relaxed) == 0 || Task.isCancelled { return undone }
        }
    }

    /// Tries one purchase out of turn, because there is news of its charge. While another task drives it, whose
    /// answer may be older, the next sweep tries it again.
    func look(at id: String) async {
        guard driver.board.isDriven(id) else {
            _ = await retries.attempt(id) { await drive(id) }
            return
        }
        retries.hurry(id)
    }

    /// - Returns: whether there is nothing to try again: the purchase has ended, or comes back with the end of another.
    private func drive(_ id: String) async -> Bool {
        do {
            switch try await driver.drive(id, until: .now + Self.attemptTime) {
            case .now(let stored): return stored.isAtRest || stored.waitsFor != nil
            case .busy: return false
            case .gone: return true
            }
        } catch {
            logger.warning("purchase not resolved", metadata: ["transaction": "\(id)", "error": "\(error)"])
            return false
        }
    }
}
