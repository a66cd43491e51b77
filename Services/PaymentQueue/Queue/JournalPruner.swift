import Logging
import Persistence
import StoreModels

/// Removes journal rows that no stream needs any more. A reader who still wants them takes a snapshot instead.
struct JournalPruner: Sendable {
    /// By the wall clock: a tester who moves the app's clock does not take rows away from streams that are open now.
    static let keptFor: Duration = .seconds(30 * 86_400)
    /// Between two rounds; monotonic.
    static let interval: Duration = .seconds(600)
    /// Rows of one commit.
    static let batch = 500

    let database: any SQLDatabase
    let clock: BusinessClock
    let logger: Logger

    /// - Returns: How many rows were removed.
    @discardableResult
    func prune() async throws -> Int {
        let limit = clock.wall() + (.zero - Self.keptFor)
        var total = 0
        while !Task.isCancelled {
            let count = try await database.write { transaction in
                try await JournalRepository.prune(writtenBefore: limit, limit: Self.batch, in: transaction)
            }
            total += count
            if count < Self.batch { break }
        }
        if total > 0 { logger.info("journal pruned", metadata: ["rows": "\(total)"]) }
        return total
    }
}
