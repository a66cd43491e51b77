import Logging
import Persistence
import StoreModels

/// Removes journal rows that no stream needs any more. A reader that is behind them takes a snapshot instead.
struct JournalPruner: Sendable {
    /// Minimum age of removed rows, by the wall clock: moving an app's clock removes no rows from open streams.
    static let keptFor: Duration = .seconds(30 * 86_400)
    /// Monotonic time between two rounds.
    static let interval: Duration = .seconds(600)
    /// Maximum number of rows one commit removes.
    static let batch = 500

    let database: any SQLDatabase
    let clock: BusinessClock
    let logger: Logger

    /// Removes all rows older than ``keptFor``.
    /// - Returns: The number of removed rows.
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
