import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes open prompts. The commit that deletes a prompt's row has answered it.
enum AppPromptRepository {
    /// Finds or creates the customer's prompt for the app on this device.
    /// - Returns: The prompt's identifier.
    static func open(
        _ request: StartPurchaseRequest, at wall: Timestamp, in transaction: SQLTransaction
    ) async throws -> String {
        try await transaction.execute(
            """
            INSERT INTO app_prompt (id, bundle_id, scope, device_id, customer_identifier, account, version,
                product_identifier, app_price, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, PromotionIdentifiers.prompt(wall: wall), request.bundleId, IsolationScope(of: request.bundleId).key,
            request.deviceId, request.customerIdentifier, request.account, request.facts.currentVersion,
            request.facts.product.productIdentifier,
            try request.facts.appPrice.map(StoredJSON.text), wall.milliseconds)
        let row = try await transaction.queryOne(
            "SELECT id FROM app_prompt WHERE bundle_id = ? AND device_id = ? AND customer_identifier = ?",
            request.bundleId, request.deviceId, request.customerIdentifier)
        guard let row else { throw StoreError(.internal, "the prompt was not written") }
        return try row["id"]
    }

    /// Reads an open prompt.
    /// - Returns: Nil also for a prompt of another scope.
    static func find(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> StoredAppPrompt? {
        try await reader.queryOne("SELECT * FROM app_prompt WHERE id = ?", named.id).map(StoredAppPrompt.init)
            .flatMap { named.scope.covers($0.installation.bundleId) ? $0 : nil }
    }

    /// Deletes a prompt.
    /// - Returns: False when the prompt was answered before.
    static func remove(_ id: String, in transaction: SQLTransaction) async throws(PersistenceError) -> Bool {
        try await transaction.execute("DELETE FROM app_prompt WHERE id = ?", id) == 1
    }

    /// Removes obsolete prompts: the app is on the device now, or the device was deleted.
    /// - Parameter account: Nil for all accounts.
    static func removeAll(
        of installation: InstallationReference, account: String? = nil, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "DELETE FROM app_prompt WHERE bundle_id = ? AND device_id = ? \(account == nil ? "" : "AND account = ?")",
            arguments: [installation.bundleId, installation.deviceId] + [account].compactMap(\.self))
    }

    static func removeAll(
        on device: ScopedIdentifier, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "DELETE FROM app_prompt WHERE scope = ? AND device_id = ?", device.scope.key, device.id)
    }

    /// Reads prompts after `after`, oldest first.
    static func list(
        _ request: PromptsRequest, limit: Int, in reader: SQLReader
    ) async throws -> [StoredAppPrompt] {
        var filter = OperatorFilter(app: request.bundleId, after: request.after, by: "id")
        filter.add("account = ?", request.account)
        return try await reader.query(
            "SELECT * FROM app_prompt WHERE \(filter.sql) ORDER BY id LIMIT ?", arguments: filter.arguments + [limit]
        ).map(StoredAppPrompt.init)
    }
}
