import Persistence

/// Promoted purchases that have had their payment, or never will have one. A row outlives the payment it was written
/// with: history may be cleared, and an intent still pays once (I3). Rows stay, as idempotency keys do.
enum UsedIntentRepository {
    /// Uses an intent up. Of two concurrent commits the second waits for the first, also of another customer.
    /// - Returns: False when it was used before.
    static func use(
        _ intent: String, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            "INSERT INTO used_intent (bundle_id, intent_identifier) VALUES (?, ?) ON CONFLICT DO NOTHING", bundleId,
            intent) == 1
    }

    static func isUsed(
        _ intent: String, of bundleId: String, in reader: SQLReader
    ) async throws(PersistenceError) -> Bool {
        try await reader.queryOne(
            "SELECT 1 AS used FROM used_intent WHERE bundle_id = ? AND intent_identifier = ?", bundleId, intent) != nil
    }
}
