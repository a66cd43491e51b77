import Logging
import Persistence
import StoreModels

/// Removes events and decided intents after thirty days.
struct IntentPruner: Sendable {
    /// By the wall clock: a tester who moves the app's clock does not delete recent events.
    static let keptFor: Duration = .seconds(30 * 86_400)
    /// Time between two rounds; monotonic.
    static let interval: Duration = .seconds(600)
    /// Rows per commit.
    static let batch = 500

    let database: any SQLDatabase
    let times: AppTimes
    let logger: Logger

    /// - Returns: The number of rows removed.
    @discardableResult
    func prune() async throws -> Int {
        let limit = times.wall() + (.zero - Self.keptFor)
        let events = try await repeating { transaction in
            try await EventRepository.prune(writtenBefore: limit, limit: Self.batch, in: transaction)
        }
        let starts = try await repeating { transaction in
            try await StartRepository.prune(startedBefore: limit, limit: Self.batch, in: transaction)
        }
        let intents = try await repeating { transaction in
            try await IntentRepository.prune(startedBefore: limit, limit: Self.batch, in: transaction)
        }
        if events + intents > 0 {
            logger.info("intents pruned", metadata: ["events": "\(events)", "intents": "\(intents)"])
        }
        return events + starts + intents
    }

    private func repeating(_ step: @escaping @Sendable (SQLTransaction) async throws -> Int) async throws -> Int {
        var total = 0
        while !Task.isCancelled {
            let count = try await database.write(step)
            total += count
            if count < Self.batch { break }
        }
        return total
    }
}
