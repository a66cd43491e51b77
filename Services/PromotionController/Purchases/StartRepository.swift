import Persistence
import StoreModels

/// Reads and writes the intent of each start, by its request's key. A repeated start finds it.
enum StartRepository {
    static func insert(
        _ requestIdentifier: String, of installation: InstallationReference, intent: String, at wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            """
            INSERT INTO purchase_start (device_id, bundle_id, request_identifier, intent_identifier, started_at)
            VALUES (?, ?, ?, ?, ?)
            """, installation.deviceId, installation.bundleId, requestIdentifier, intent, wall.milliseconds)
    }

    /// Finds the intent of a start.
    /// - Returns: Nil when the start or the intent is not stored.
    static func intent(
        of requestIdentifier: String, _ installation: InstallationReference, in reader: SQLReader
    ) async throws -> StoredIntent? {
        try await reader.queryOne(
            """
            SELECT purchase_intent.* FROM purchase_start JOIN purchase_intent USING (intent_identifier)
            WHERE purchase_start.device_id = ? AND purchase_start.bundle_id = ? AND request_identifier = ?
            """, installation.deviceId, installation.bundleId, requestIdentifier
        ).map(StoredIntent.init)
    }

    /// Removes at most `limit` starts from before `wall`.
    /// - Returns: The number of removed rows.
    static func prune(
        startedBefore wall: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        try await transaction.execute(
            """
            DELETE FROM purchase_start WHERE (device_id, bundle_id, request_identifier) IN (
                SELECT device_id, bundle_id, request_identifier FROM purchase_start
                WHERE started_at < ? ORDER BY started_at LIMIT ?)
            """, wall.milliseconds, limit)
    }
}
