import Persistence
import StoreModels

/// Applies the time to all due intents: unanswered ones become deferred, and old ones expire. The janitor runs it, and
/// lists run it before they are read.
struct IntentSettler: Sendable {
    /// Rows per commit.
    static let batch = 256
    /// Apps whose clocks are requested concurrently.
    static let concurrency = 16

    let database: any SQLDatabase
    let times: AppTimes

    /// - Parameter app: Nil for all apps.
    /// - Returns: The number of intents changed.
    @discardableResult
    func settle(app bundleId: String? = nil, deadline: ContinuousClock.Instant) async throws -> Int {
        var count = try await settleUnanswered()
        if let bundleId { return try await count + settleExpired(of: bundleId, deadline: deadline) }
        var after = ""
        while !Task.isCancelled {
            let start = after
            let apps = try await database.read {
                try await IntentRepository.appsWithOpen(after: start, limit: Self.concurrency, in: $0)
            }
            count += try await withThrowingTaskGroup(of: Int.self) { group in
                for app in apps { group.addTask { try await settleExpired(of: app, deadline: deadline) } }
                return try await group.reduce(0, +)
            }
            guard apps.count == Self.concurrency, let last = apps.last else { break }
            after = last
        }
        return count
    }

    private func settleUnanswered() async throws -> Int {
        // Their apps' clocks do not matter here; expired intents are found separately.
        let now = PurchaseIntent.Life.Now(wall: times.wall(), business: .distantPast)
        guard try await database.read({ try await IntentRepository.hasUnanswered(at: now.wall, in: $0) }) else {
            return 0
        }
        return try await settle(at: now) { transaction in
            try await IntentRepository.lockUnanswered(at: now.wall, limit: Self.batch, in: transaction)
        }
    }

    private func settleExpired(of bundleId: String, deadline: ContinuousClock.Instant) async throws -> Int {
        // The clock is another service's: it is requested only where an intent may expire.
        let hasOpen = try await database.read {
            try await IntentRepository.hasExpired(of: bundleId, at: Timestamp(milliseconds: .max), in: $0)
        }
        guard hasOpen else { return 0 }
        let now = try await times.now(of: bundleId, deadline: deadline)
        guard try await database.read({ try await IntentRepository.hasExpired(of: bundleId, at: now.business, in: $0) })
        else { return 0 }
        return try await settle(at: now) { transaction in
            try await IntentRepository.lockExpired(
                of: bundleId, at: now.business, limit: Self.batch, in: transaction)
        }
    }

    private func settle(
        at now: PurchaseIntent.Life.Now, _ due: @escaping @Sendable (SQLTransaction) async throws -> [StoredIntent]
    ) async throws -> Int {
        var total = 0
        while !Task.isCancelled {
            let count = try await database.write { transaction in
                let commit = IntentCommit(transaction: transaction, now: now)
                let intents = try await due(transaction)
                for intent in intents { _ = try await commit.settle(intent) }
                return intents.count
            }
            total += count
            if count < Self.batch { break }
        }
        return total
    }
}
