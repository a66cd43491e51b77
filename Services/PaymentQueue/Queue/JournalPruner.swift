import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Removes journal rows that no stream needs any more. A reader that is behind them takes a snapshot instead.
struct JournalPruner: QueuePart {
    /// Minimum age of removed rows, by the wall clock. Moving an app's clock keeps the rows of open streams.
    static let keptFor: Duration = .seconds(30 * 86_400)
    /// Monotonic time between two rounds.
    static let interval: Duration = .seconds(600)
    /// Maximum number of rows one commit removes.
    static let batch = 500

    let context: QueueContext

    /// Removes all rows older than ``keptFor``.
    /// - Returns: The number of removed rows.
    @discardableResult
    func prune() async throws -> Int {
        let limit = clock.wall() + (.zero - Self.keptFor)
        let total = try await database.writeInBatches(of: Self.batch) { transaction in
            try await JournalRepository.prune(writtenBefore: limit, limit: Self.batch, in: transaction)
        }
        if total > 0 { logger.info("journal pruned", metadata: ["rows": "\(total)"]) }
        return total
    }
}
