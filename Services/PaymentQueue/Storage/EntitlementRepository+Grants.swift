import Persistence
import StoreModels

extension EntitlementRepository {
    /// The state of a customer's subscription in one group.
    package struct GroupSubscription: Hashable, Sendable {
        /// The `id` of the group's first transaction.
        package var originalID: String
        package var activeProduct: String
        package var activeUntil: Timestamp
    }

    package static func subscription(
        group: String, _ customer: CustomerID, in reader: SQLReader
    ) async throws(PersistenceError) -> GroupSubscription? {
        try await reader.queryOne(
            """
            SELECT original_id, active_product, active_until FROM subscription_group
            WHERE bundle_id = ? AND customer_identifier = ? AND subscription_group = ?
            """, customer.bundleId, customer.customerIdentifier, group
        ).map { row throws(PersistenceError) in
            GroupSubscription(
                originalID: try row["original_id"], activeProduct: try row["active_product"],
                activeUntil: Timestamp(milliseconds: try row["active_until"]))
        }
    }

    /// Writes down what a purchased transaction gives: a non-consumable for ever, a subscription until it expires.
    // Swift 6.3.1 crashes when it optimizes this as a part of its caller.
    @inline(never)
    package static func grant(
        _ value: PaymentTransaction, terms: PurchaseTerms, to customer: CustomerID, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        if terms.productType == .nonConsumable, let identifier = value.transactionIdentifier {
            try await transaction.send(
                """
                INSERT INTO owned_product (bundle_id, customer_identifier, product_identifier, transaction_id,
                    transaction_identifier)
                VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, customer.bundleId, customer.customerIdentifier, value.payment.productIdentifier, value.id,
                identifier)
        }
        if let subscription = terms.subscription {
            try await extend(subscription, value, customer, in: transaction)
        }
    }

    /// The group's row follows the transaction that gives access longest; the original stays the first one.
    private static func extend(
        _ subscription: PurchaseTerms.Subscription, _ value: PaymentTransaction, _ customer: CustomerID,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO subscription_group (bundle_id, customer_identifier, subscription_group, original_id,
                active_product, active_level, active_until, active_transaction)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (bundle_id, customer_identifier, subscription_group) DO UPDATE SET
                active_product = excluded.active_product, active_level = excluded.active_level,
                active_until = excluded.active_until, active_transaction = excluded.active_transaction
            WHERE excluded.active_until > subscription_group.active_until
            """,
            customer.bundleId, customer.customerIdentifier, subscription.group, value.id,
            value.payment.productIdentifier, subscription.level, value.expiresDate?.milliseconds,
            value.transactionIdentifier)
    }
}
