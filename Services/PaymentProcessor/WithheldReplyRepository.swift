import Persistence
import StoreModels

/// Stores the keys whose first reply was withheld or replaced. The sandbox does that once per key, also over several
/// processes and for concurrent requests, which the primary key ensures.
enum WithheldReplyRepository {
    /// Maximum number of keys. Beyond it the oldest is deleted, and a reply for it could be withheld again.
    static let rowsMax = 10_000

    /// Claims the key's only reply that may be withheld.
    /// - Returns: False when it was claimed before.
    static func claim(
        _ chargeKey: String, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let added = try await transaction.execute(
            "INSERT INTO withheld_answer (charge_key, created_at) VALUES (?, ?) ON CONFLICT (charge_key) DO NOTHING",
            chargeKey, now.milliseconds)
        guard added > 0 else { return false }
        try await transaction.execute(
            """
            DELETE FROM withheld_answer WHERE created_at < (
                SELECT created_at FROM withheld_answer ORDER BY created_at DESC LIMIT 1 OFFSET ?)
            """, rowsMax - 1)
        return true
    }
}
