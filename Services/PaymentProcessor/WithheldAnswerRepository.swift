import Persistence
import StoreModels

/// The keys whose first answer was withheld or spoiled. A sandbox does that once a key: not again in another process, and
/// not twice when two requests of the key come at the same time, which the primary key rules out.
enum WithheldAnswerRepository {
    /// Keys that are remembered. Beyond it the oldest is forgotten, and could have an answer withheld again.
    static let rowsMax = 10_000

    /// Takes the key's one answer that may be withheld.
    /// - Returns: false when it was taken before.
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
