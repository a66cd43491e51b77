import EventLoop
import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Does due work without a request. It keeps no state: each sweep reads the tables.
extension IntentService {
    /// Monotonic time between two sweeps.
    static let sweepInterval: Duration = .milliseconds(500)
    /// Timeout of one sweep's clock requests, and of one payment.
    static let attemptTime: Duration = .seconds(5)
    /// Maximum number of payments added concurrently.
    static let paymentConcurrency = 16
    /// Maximum number of apps whose clocks are requested concurrently.
    static let clockConcurrency = 16
    /// Maximum number of rows settled per commit.
    static let settleBatch = 256
    /// Minimum age of removed rows, by the wall clock: moving an app's clock removes no recent events.
    static let keptFor: Duration = .seconds(30 * 86_400)
    /// Monotonic time between two rounds of pruning.
    static let pruneInterval: Duration = .seconds(600)
    /// Maximum number of rows pruned per commit.
    static let pruneBatch = 500

    /// Sweeps while an intent is open or has a payment that PaymentQueue has not confirmed.
    func round() async throws -> BackgroundJob.Rest {
        let hasWork = try await database.read { reader in
            if try await !IntentRepository.unadded(after: "", limit: 1, in: reader).isEmpty { return true }
            return try await !IntentRepository.appsWithOpen(after: "", limit: 1, in: reader).isEmpty
        }
        guard hasWork else { return .untilCommit() }
        try await sweep()
        return .interval
    }

    /// Defers unanswered intents, expires old ones, and adds payments that PaymentQueue has not confirmed.
    ///
    /// Such payments remain when a process dies between its decision and PaymentQueue.
    /// - Returns: The number of payments without PaymentQueue's reply.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        try await settle(deadline: .now + Self.attemptTime)
        return try await retries.run(now: now, id: \.id) { after, limit in
            try await database.read { try await IntentRepository.unadded(after: after, limit: limit, in: $0) }
        } isTaken: { intent in
            paymentsInFlight.withLock { $0.containsExactly(intent.id) }
        } attempt: { intent in
            await addPayment(of: intent)
        }
    }

    /// Adds a payment from the intent's current row.
    ///
    /// Since the page was read the payment may have been refused and the purchase cancelled (I4).
    /// - Returns: Whether PaymentQueue's reply is definitive.
    func addPayment(of listed: StoredIntent) async -> Bool {
        var intent = listed
        do {
            let found = try await database.read { try await IntentRepository.find(listed.id, in: $0) }
            guard let found, found.life.state == .continued, !found.life.isAdded else { return true }
            intent = found
            switch try await addPayment(of: intent, deadline: .now + Self.attemptTime) {
            case .added, .refused: return true
            case .unknown(let error): warn(intent, "\(error)")
            }
        } catch {
            warn(intent, "\(error)")
        }
        return false
    }

    private func warn(_ intent: StoredIntent, _ error: String) {
        logger.warning("a payment was not added", metadata: ["intent": "\(intent.id)", "error": "\(error)"])
    }

    // MARK: Time

    /// Applies the time to all due intents: unanswered ones become deferred, and old ones expire.
    ///
    /// The sweep runs it, and lists run it before they are read.
    /// - Parameter bundleId: Nil for all apps.
    /// - Returns: The number of changed intents.
    @discardableResult
    func settle(app bundleId: String? = nil, deadline: ContinuousClock.Instant) async throws -> Int {
        var count = try await settleUnanswered()
        if let bundleId { return try await count + settleExpired(of: bundleId, deadline: deadline) }
        var after = ""
        while !Task.isCancelled {
            let start = after
            let apps = try await database.read {
                try await IntentRepository.appsWithOpen(after: start, limit: Self.clockConcurrency, in: $0)
            }
            count += try await withThrowingTaskGroup(of: Int.self) { group in
                for app in apps { group.addTask { try await settleExpired(of: app, deadline: deadline) } }
                return try await group.reduce(0, +)
            }
            guard apps.count == Self.clockConcurrency, let last = apps.last else { break }
            after = last
        }
        return count
    }

    private func settleUnanswered() async throws -> Int {
        // Their apps' clocks do not matter here; expired intents are found separately.
        let now = StorePurchaseIntent.Life.Now(wall: times.wall(), business: .earliest)
        guard try await database.read({ try await IntentRepository.hasUnanswered(at: now.wall, in: $0) }) else {
            return 0
        }
        return try await settle(at: now) { transaction in
            try await IntentRepository.lockUnanswered(at: now.wall, limit: Self.settleBatch, in: transaction)
        }
    }

    private func settleExpired(of bundleId: String, deadline: ContinuousClock.Instant) async throws -> Int {
        // The clock is another service's: it is requested only where an intent may expire.
        let hasOpen = try await database.read {
            try await IntentRepository.hasExpired(of: bundleId, at: .latest, in: $0)
        }
        guard hasOpen else { return 0 }
        let now = try await times.now(of: bundleId, deadline: deadline)
        guard try await database.read({ try await IntentRepository.hasExpired(of: bundleId, at: now.business, in: $0) })
        else { return 0 }
        return try await settle(at: now) { transaction in
            try await IntentRepository.lockExpired(
                of: bundleId, at: now.business, limit: Self.settleBatch, in: transaction)
        }
    }

    private func settle(
        at now: StorePurchaseIntent.Life.Now, _ due: @escaping @Sendable (SQLTransaction) async throws -> [StoredIntent]
    ) async throws -> Int {
        try await database.writeInBatches(of: Self.settleBatch) { transaction in
            let commit = IntentTransaction(transaction: transaction, now: now)
            let intents = try await due(transaction)
            for intent in intents { _ = try await commit.settle(intent) }
            return intents.count
        }
    }

    // MARK: Pruning

    /// Removes events, starts and final intents after ``keptFor``.
    /// - Returns: The number of removed rows.
    @discardableResult
    func prune() async throws -> Int {
        let limit = times.wall() + (.zero - Self.keptFor)
        let events = try await database.writeInBatches(of: Self.pruneBatch) { transaction in
            try await IntentEventRepository.table.prune(writtenBefore: limit, limit: Self.pruneBatch, in: transaction)
        }
        let starts = try await database.writeInBatches(of: Self.pruneBatch) { transaction in
            try await StartRepository.prune(startedBefore: limit, limit: Self.pruneBatch, in: transaction)
        }
        let intents = try await database.writeInBatches(of: Self.pruneBatch) { transaction in
            try await IntentRepository.prune(startedBefore: limit, limit: Self.pruneBatch, in: transaction)
        }
        if events + intents > 0 {
            logger.info("intents pruned", metadata: ["events": "\(events)", "intents": "\(intents)"])
        }
        return events + starts + intents
    }
}
