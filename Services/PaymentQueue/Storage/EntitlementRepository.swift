import Persistence
import StoreModels

/// What decides about a customer's next purchase: offers claimed, products owned, subscriptions, purchases in flight.
package enum EntitlementRepository {
    /// The facts ``PurchasePolicy`` needs about one product, but for what the commit alone knows.
    /// - Parameters:
    ///   - tester: what the account does at the store.
    ///   - subscription: the customer's subscription in the product's group, locked where somebody may change it.
    package static func facts(
        of customer: Customer, tester: TesterSettings, product: Product?, unfinishedLimit: Int?,
        subscription: StoredSubscription?, except id: String? = nil, in reader: SQLReader
    ) async throws -> PurchasePolicy.Facts {
        var facts = PurchasePolicy.Facts(
            canMakePayments: tester.canMakePayments ?? true, subscription: subscription,
            rate: tester.subscriptionRenewalRate ?? .realTime)
        if let unfinishedLimit {
            facts.unfinishedCount = try await TransactionRepository.unfinishedCount(
                of: customer.id, limit: max(unfinishedLimit, 0) + 1, in: reader)
        }
        guard let product else { return facts }
        if product.type.isSoldOneAtATime {
            facts.isSlotTaken =
                try await slotHolder(of: product.productIdentifier, customer.id, in: reader).map { $0 != id } ?? false
        }
        if product.type == .nonConsumable {
            facts.ownedSince = try await reader.queryOne(
                """
                SELECT transaction_identifier FROM owned_product
                WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ?
                """, customer.id.bundleId, customer.id.customerIdentifier, product.productIdentifier
            ).map { row in try row["transaction_identifier"] }
        }
        if let group = product.subscriptionGroupIdentifier {
            facts.groupHistory = try await histories(of: customer.id, in: reader)[group]
        }
        return facts
    }

    /// Per subscription group with any history, by identifier.
    package static func histories(
        of customer: CustomerID, in reader: SQLReader
    ) async throws -> [ExactText: SubscriptionGroupHistory] {
        var histories: [ExactText: SubscriptionGroupHistory] = [:]
        for value in try await SubscriptionRepository.all(of: customer, in: reader) {
            histories[value.group] = SubscriptionGroupHistory(
                subscriptionGroupIdentifier: value.group, activeUntil: value.graceUntil ?? value.activeUntil,
                activeTransaction: value.activeTransaction, state: value.state,
                isRenewalDue: value.state == .subscribed && value.willAutoRenew && value.dueAt != nil)
        }
        for row in try await reader.query(
            "SELECT * FROM offer_claim WHERE bundle_id = ? AND customer_identifier = ?", customer.bundleId,
            customer.customerIdentifier)
        {
            let group: String = try row["subscription_group"]
            var history = histories[group] ?? SubscriptionGroupHistory(subscriptionGroupIdentifier: group)
            history.introductoryOfferTransaction = try row["transaction_identifier"]
            history.introductoryOfferReserved = history.introductoryOfferTransaction == nil
            histories[group] = history
        }
        return histories
    }

    // MARK: The introductory offer's claim

    /// Reserves the group's offer. The primary key lets one purchase have it.
    package static func reserveOffer(
        group: String, for id: String, _ customer: CustomerID, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO offer_claim (bundle_id, customer_identifier, subscription_group, transaction_id, state)
            VALUES (?, ?, ?, ?, 'reserved')
            """, customer.bundleId, customer.customerIdentifier, group, id)
    }

    /// Nothing happens to a transaction without a claim.
    package static func consumeOffer(
        of value: PaymentTransaction, _ customer: CustomerID, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE offer_claim SET state = 'consumed', transaction_identifier = ?
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'reserved'
            """, value.transactionIdentifier, value.id, customer.bundleId, customer.customerIdentifier)
    }

    package static func releaseOffer(
        of value: PaymentTransaction, _ customer: CustomerID, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            DELETE FROM offer_claim
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'reserved'
            """, value.id, customer.bundleId, customer.customerIdentifier)
    }

    // MARK: One purchase of a product at a time

    /// The purchase in flight of a non-consumable or a subscription; others of the same product wait for it (P8).
    package static func slotHolder(
        of product: String, _ customer: CustomerID, in reader: SQLReader
    ) async throws(PersistenceError) -> String? {
        try await reader.queryOne(
            """
            SELECT transaction_id FROM purchase_slot
            WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ?
            """, customer.bundleId, customer.customerIdentifier, product
        ).map { row throws(PersistenceError) in try row["transaction_id"] }
    }

    package static func takeSlot(
        of product: String, for id: String, _ customer: CustomerID, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO purchase_slot (bundle_id, customer_identifier, product_identifier, transaction_id)
            VALUES (?, ?, ?, ?)
            """, customer.bundleId, customer.customerIdentifier, product, id)
    }

    package static func releaseSlot(
        of value: PaymentTransaction, _ customer: CustomerID, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            "DELETE FROM purchase_slot WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ?",
            value.id, customer.bundleId, customer.customerIdentifier)
    }

    /// The purchases that wait for a product, oldest first: whom a released slot wakes.
    package static func waiting(
        for product: String, _ customer: CustomerID, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        var identifiers: [String] = []
        for row in try await reader.query(waitingSQL, customer.bundleId, customer.customerIdentifier, product) {
            identifiers.append(try row["id"])
        }
        return identifiers
    }

    /// Asked with every settled purchase, so it has an index of its own.
    package static let waitingSQL = """
        SELECT id FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ? AND phase = 'waiting'
        ORDER BY created_seq LIMIT 100
        """
}
