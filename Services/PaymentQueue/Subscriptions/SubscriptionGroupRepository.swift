import Persistence
import StoreModels

/// Reads and writes the groups in which subscription products were paid, one row per pair.
enum SubscriptionGroupRepository {
    struct Row: Hashable, Sendable {
        var originalID: String
        var product: String
        var group: String
    }

    static func insert(
        _ group: String, of product: String, _ subscription: StoredSubscription, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO paid_group (bundle_id, customer_identifier, original_id, product_identifier, subscription_group)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, subscription.customer.bundleId, subscription.customer.customerIdentifier, subscription.originalID,
            product, group)
    }

    static func all(of customer: CustomerReference, in reader: SQLReader) async throws(PersistenceError) -> [Row] {
        var rows: [Row] = []
        for row in try await reader.query(
            """
            SELECT original_id, product_identifier, subscription_group FROM paid_group
            WHERE bundle_id = ? AND customer_identifier = ?
            ORDER BY original_id, product_identifier, subscription_group
            """, customer.bundleId, customer.customerIdentifier)
        {
            rows.append(
                Row(
                    originalID: try row["original_id"], product: try row["product_identifier"],
                    group: try row["subscription_group"]))
        }
        return rows
    }
}
