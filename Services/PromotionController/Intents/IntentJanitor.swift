import EventLoop
import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Does due work without a request. It defers unanswered intents, expires old ones, and adds payments that a process
/// left between its decision and PaymentQueue. It keeps no state: each sweep reads the tables.
final class IntentJanitor: Sendable {
    /// Time between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// Timeout of one sweep's clock requests, and of one payment.
    static let attemptTime: Duration = .seconds(5)
    /// Payments added concurrently.
    static let concurrency = 16

    private let settler: IntentSettler
    private let decisions: DecisionDesk
    private let logger: Logger
    private let retries = RetrySweep(concurrency: concurrency)

    init(settler: IntentSettler, decisions: DecisionDesk, logger: Logger) {
        self.settler = settler
        self.decisions = decisions
        self.logger = logger
    }

    /// - Returns: The number of payments without PaymentQueue's answer.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        try await settler.settle(deadline: .now + Self.attemptTime)
        return try await retries.run(now: now, id: \.id) { [decisions] after, limit in
            try await decisions.database.read { try await IntentRepository.unadded(after: after, limit: limit, in: $0) }
        } isTaken: { [decisions] intent in
            decisions.underWay.withLock { $0.containsExactly(intent.id) }
        } attempt: { intent in
            await self.add(intent)
        }
    }

    /// Adds a payment from the intent's current row. Since the page was read the payment may have been rejected and the
    /// purchase cancelled (I4).
    /// - Returns: Whether PaymentQueue's answer is definitive.
    func add(_ listed: StoredIntent) async -> Bool {
        var intent = listed
        do {
            let found = try await decisions.database.read { try await IntentRepository.find(listed.id, in: $0) }
            guard let found, found.life.state == .continued, !found.life.isAdded else { return true }
            intent = found
            switch try await decisions.adder.add(intent, deadline: .now + Self.attemptTime) {
            case .added, .refused: return true
            case .unknown(let error): told(intent, "\(error)")
            }
        } catch {
            told(intent, "\(error)")
        }
        return false
    }

    private func told(_ intent: StoredIntent, _ error: String) {
        logger.warning("a payment was not added", metadata: ["intent": "\(intent.id)", "error": "\(error)"])
    }
}
