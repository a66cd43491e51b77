import Persistence
import ServiceDatabase
import StoreModels

/// Removes an app's rows, and an isolated store's accounts.
///
/// The app's purchases were removed before (``HistoryService/removeApp(_:deadline:)``), so only rows without charges
/// are left. Refunds without a reply of the processor stay in the outbox, which removes each after the reply.
struct AppRemoval: Sendable {
    /// Tables of rows to remove. A table comes before those that it refers to.
    private static let tables = [
        "journal", "server_event", "used_intent", "offer_nonce", "revocation_seen", "restore", "refund",
        "refund_request", "subscription_extension", "mass_extension", "clock_advance", "prompt", "offer_claim",
        "offer_code_text", "offer_code", "code_redemption", "shared_purchase", "family_person", "purchase_slot",
        "owned_product", "download", "revocation", "paid_group", "subscription_event",
        "subscription_period", "subscription", "payment_transaction", "customer", "app_clock", "isolated_counter",
    ]
    /// Purchases and renewals about which the processor may be asked.
    private static let busy = [
        AppRows.Selection("payment_transaction", where: "phase = 'charging' AND awaits_answer = 0"),
        AppRows.Selection("subscription", where: "attempt IS NOT NULL AND due_at IS NOT NULL"),
    ]
    private static let kept = [AppRows.Selection("refund", where: "is_done = 0 OR reversal = 1")]
    /// Maximum number of rows that one commit removes of a table, and of customers that it locks.
    private static let rowsMax = 500

    let database: any SQLDatabase

    /// Removes some of the app's rows.
    /// - Throws: `serviceUnavailable` when a purchase or a renewal has begun.
    func remove(_ request: RemoveAppRequest) async throws -> RemoveAppReply {
        let rows = AppRows(
            database: database, tables: Self.tables, busy: Self.busy, kept: Self.kept, rowsMax: Self.rowsMax
        ) { bundleId, transaction in
            // Each commit about a purchase locks its customer before it writes.
            try await CustomerRepository.awaitCommits(of: bundleId, limit: Self.rowsMax, in: transaction)
        }
        return try await rows.remove(request) { transaction in
            // The installation's accounts belong to all of its apps.
            guard IsolatedApp(request.bundleId) != nil else { return }
            try await transaction.execute(
                "DELETE FROM tester WHERE scope = ?", IsolationScope(of: request.bundleId).key)
        }
    }
}
