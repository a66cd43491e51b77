import Persistence
import StoreModels

extension EntitlementRepository {
    /// Stores the non-consumable a purchase gives, without an end. Subscriptions have their own rows.
    // Swift 6.3.1 crashes when it optimizes this as a part of its caller.
    @inline(never)
    static func grant(
        _ value: PaymentTransaction, terms: PurchaseTerms, to customer: CustomerReference,
        in transaction: SQLTransaction
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
    }

    /// Removes the non-consumable a purchase gave.
    /// - Returns: False when it gave none.
    // Swift 6.3.1 crashes when it optimizes this as a part of its caller.
    @inline(never)
    static func takeAway(
        _ id: String, from customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            "DELETE FROM owned_product WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ?", id,
            customer.bundleId, customer.customerIdentifier) > 0
    }
}
