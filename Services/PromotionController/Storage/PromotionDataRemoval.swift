import Persistence
import StoreModels

/// Removes an isolated store's app, and then the store's devices.
struct PromotionDataRemoval: Sendable {
    private static let tables = [
        "purchase_start", "app_prompt", "purchase_intent", "intent_head", "intent_event", "installation", "app_clock",
    ]

    let database: any SQLDatabase

    /// Removes all rows about the app.
    /// - Throws: `requestInvalid` for an app of the whole installation.
    func remove(_ request: AppRequest) async throws -> RemoveAppReply {
        try request.checkIsIsolated()
        for table in Self.tables {
            try await database.write { transaction in
                _ = try await transaction.execute("DELETE FROM \(table) WHERE bundle_id = ?", request.bundleId)
            }
        }
        try await database.write { transaction in
            _ = try await transaction.execute(
                "DELETE FROM device WHERE scope = ?", IsolationScope(of: request.bundleId).key)
        }
        return RemoveAppReply(isDone: true)
    }
}
