import Persistence
import ServiceDatabase
import StoreModels

/// Removes an app, and then an isolated store's devices.
struct PromotionDataRemoval: Sendable {
    private static let tables = [
        "purchase_start", "app_prompt", "purchase_intent", "intent_head", "intent_event", "installation", "app_clock",
    ]

    let database: any SQLDatabase

    /// Removes some of the app's rows.
    func remove(_ request: RemoveAppRequest) async throws -> RemoveAppReply {
        try await AppRows(database: database, tables: Self.tables).remove(request) { transaction in
            // The installation's devices belong to all of its apps.
            guard IsolatedApp(request.bundleId) != nil else { return }
            try await transaction.execute(
                "DELETE FROM device WHERE scope = ?", IsolationScope(of: request.bundleId).key)
        }
    }
}
