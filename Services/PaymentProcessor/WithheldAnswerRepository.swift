import Persistence
import StoreModels

/// The keys whose first answer was withheld before anything was charged: a sandbox does that once a key, also when it
/// is another process by then.
enum WithheldAnswerRepository {
    /// Keys that are remembered. Beyond it the oldest is forgotten, and could have an answer withheld again.
    static let rowsMax = 10_000

    /// Remembers the key, unless it is known or its charge stands.
    /// - Returns: whether it was remembered now.
    static func add(
        _ chargeKey: String, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        guard try await ChargeRepository.find(chargeKey, in: transaction) == nil else { return false }
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

    static func contains(_ chargeKey: String, in reader: SQLReader) async throws(PersistenceError) -> Bool {
        try await reader.queryOne("SELECT created_at FROM withheld_answer WHERE charge_key = ?", chargeKey) != nil
    }
}
