import EventLoop
import Logging
import Persistence
import StoreModels

/// Does what is due without anybody asking: intents that nobody answered, those whose day is over, and payments that a
/// process left between its decision and PaymentQueue. Knows nothing by heart: each sweep reads the tables.
final class IntentJanitor: Sendable {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// For one sweep's questions about clocks, and for one payment.
    static let attemptTime: Duration = .seconds(5)
    /// Rows of one page of a sweep.
    static let pageSize = 256
    /// Payments handed over at once.
    static let concurrency = 16

    private let settler: IntentSettler
    private let decisions: DecisionDesk
    private let logger: Logger
    private let schedule = Locked(RetrySchedule())

    init(settler: IntentSettler, decisions: DecisionDesk, logger: Logger) {
        self.settler = settler
        self.decisions = decisions
        self.logger = logger
    }

    /// - Returns: how many payments PaymentQueue has still not answered about.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        try await settler.settle(deadline: .now + Self.attemptTime)
        var (unknown, after) = (0, "")
        while !Task.isCancelled {
            let start = after
            let page = try await decisions.database.read {
                try await IntentRepository.unadded(after: start, limit: Self.pageSize, in: $0)
            }
            unknown += await add(page, now: now)
            guard page.count == Self.pageSize, let last = page.last else { break }
            after = last.id
        }
        return unknown
    }

    private func add(_ page: [StoredIntent], now: ContinuousClock.Instant) async -> Int {
        await withTaskGroup { group in
            var (running, unknown) = (0, 0)
            for intent in page {
                let isUnderWay = decisions.underWay.withLock { $0.contains(intent.id) }
                guard !isUnderWay, schedule.withLock({ $0.isDue(intent.id, now: now) }) else {
                    unknown += 1
                    continue
                }
                if running == Self.concurrency {
                    unknown += await group.next() == false ? 1 : 0
                    running -= 1
                }
                group.addTask { await self.attempt(intent) }
                running += 1
            }
            for await isAnswered in group where !isAnswered { unknown += 1 }
            return unknown
        }
    }

    /// - Returns: whether PaymentQueue has answered for good.
    private func attempt(_ intent: StoredIntent) async -> Bool {
        var isAnswered = false
        do {
            switch try await decisions.adder.add(intent, deadline: .now + Self.attemptTime) {
            case .added, .refused: isAnswered = true
            case .unknown(let error): told(intent, "\(error)")
            }
        } catch {
            told(intent, "\(error)")
        }
        schedule.withLock { isAnswered ? $0.settled(intent.id) : $0.failed(intent.id, now: .now) }
        return isAnswered
    }

    private func told(_ intent: StoredIntent, _ error: String) {
        logger.warning("a payment was not added", metadata: ["intent": "\(intent.id)", "error": "\(error)"])
    }
}
