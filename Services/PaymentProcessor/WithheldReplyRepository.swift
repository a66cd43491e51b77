import Persistence
import StoreModels

/// Stores the keys whose first answer was withheld or replaced. A sandbox does that once per key: not again in another
/// process, and not twice for concurrent requests of the key, which the primary key rules out.
enum WithheldAnswerRepository {
    /// Maximum number of keys. Beyond it the oldest is deleted, and an answer to it could be withheld again.
    static let rowsMax = 10_000

    /// Claims the only answer of the key that may be withheld.
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
