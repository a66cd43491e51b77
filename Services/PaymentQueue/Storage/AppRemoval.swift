import Persistence
import StoreModels

/// Removes an isolated store's app: a customer a commit, then the app's own rows.
struct AppRemoval: Sendable {
    /// Maximum number of customers that one request removes.
    static let customersMax = 50
    /// Tables of customers' rows. A table comes before those that it refers to.
    private static let customerTables = [
        "journal", "prompt", "offer_claim", "purchase_slot", "owned_product", "paid_group", "subscription_event",
        "subscription_period", "subscription_extension", "refund_request",
        "offer_nonce", "revocation", "revocation_seen", "restore", "download", "refund", "subscription",
        "payment_transaction", "customer",
    ]
    private static let appTables = [
        "server_event", "used_intent", "clock_advance", "app_clock", "isolated_counter", "mass_extension",
    ]

    let database: any SQLDatabase

    /// Removes some of the app's rows.
    /// - Throws: `requestInvalid` for an app of the whole installation.
    func remove(_ request: AppRequest) async throws -> RemoveAppReply {
        try request.checkIsIsolated()
        for _ in 0..<Self.customersMax {
            let isRemoved = try await database.write { try await Self.removeCustomer(of: request.bundleId, in: $0) }
            guard isRemoved else {
                try await database.write { transaction in
                    for table in Self.appTables {
                        try await transaction.execute("DELETE FROM \(table) WHERE bundle_id = ?", request.bundleId)
                    }
                    try await transaction.execute(
                        "DELETE FROM tester WHERE scope = ?", IsolationScope(of: request.bundleId).key)
                }
                return RemoveAppReply(isDone: true)
            }
        }
        return RemoveAppReply(isDone: false)
    }

    /// - Returns: False when all customers are removed.
    private static func removeCustomer(of bundleId: String, in transaction: SQLTransaction) async throws -> Bool {
        let row = try await transaction.queryOne(
            """
            SELECT customer_identifier FROM customer WHERE bundle_id = ? ORDER BY customer_identifier LIMIT 1
            \(transaction.dialect.lockRow)
            """, bundleId)
        guard let customer: String = try row?["customer_identifier"] else { return false }
        for table in customerTables {
            try await transaction.execute(
                "DELETE FROM \(table) WHERE bundle_id = ? AND customer_identifier = ?", bundleId, customer)
        }
        return true
    }
}
