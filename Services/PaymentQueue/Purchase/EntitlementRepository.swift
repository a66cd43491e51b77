import Persistence
import StoreModels

/// What decides about a customer's next purchase: offers claimed, products owned, subscriptions, purchases in flight.
enum EntitlementRepository {
    /// The context ``PurchasePolicy`` needs about one product, but for what the commit alone knows.
    /// - Parameters:
    ///   - tester: what the account does at the store.
    ///   - subscribed: what counts for the product of what the customer has subscribed to.
    static func context(
        of customer: Customer, tester: TesterSettings, product: Product?, unfinishedLimit: Int?,
        subscribed: Subscribed?, except id: String? = nil, in reader: SQLReader
    ) async throws -> PurchasePolicy.Context {
        var context = PurchasePolicy.Context(
            canMakePayments: tester.canMakePayments ?? true, subscription: subscribed?.subscription,
            groupHistory: subscribed?.history, rate: tester.subscriptionRenewalRate ?? .realTime)
        if let unfinishedLimit {
            context.unfinishedCount = try await TransactionRepository.unfinishedCount(
                of: customer.id, limit: max(unfinishedLimit, 0) + 1, in: reader)
        }
        guard let product else { return context }
        if product.type.isSoldOneAtATime {
            let holder = try await slotHolder(of: product.productIdentifier, customer.id, in: reader)
            if let holder, holder.id != id { (context.isSlotTaken, context.obstacle) = (true, holder) }
        }
        if context.obstacle == nil, let subscription = subscribed?.subscription, subscription.isQuarantined {
            context.obstacle = PurchaseObstacle(id: subscription.originalID, isForPerson: true)
        }
        if product.type == .nonConsumable {
            context.ownedSince = try await ownedSince(product.productIdentifier, customer.id, in: reader)
        }
        return context
    }

    /// The identifier of the purchase by which the customer owns a non-consumable.
    static func ownedSince(
        _ product: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> String? {
        try await reader.queryOne(
            """
            SELECT transaction_identifier FROM owned_product
            WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ?
            """, customer.bundleId, customer.customerIdentifier, product
        ).map { row throws(PersistenceError) in try row["transaction_identifier"] }
    }

    /// What a customer has subscribed to, as far as it counts for one product (``SubscriptionHistory``).
    struct Subscribed: Sendable {
        /// The subscription that buying the product goes on with or changes.
        var subscription: StoredSubscription?
        var history: SubscriptionGroupHistory?
    }

    /// - Parameter all: The customer's subscriptions.
    static func subscribed(
        _ question: SubscriptionHistory.Question, _ customer: CustomerReference, among all: [StoredSubscription],
        at now: Timestamp, in reader: SQLReader
    ) async throws -> Subscribed {
        let history = try await history(of: customer, among: all, in: reader)
        let entry = history.subscription(of: question, at: now)
        return Subscribed(
            subscription: all.first { $0.originalIdentifier.isExactly(entry?.originalTransactionIdentifier) },
            history: history.group(of: question, at: now))
    }

    static func history(of customer: CustomerReference, in reader: SQLReader) async throws -> SubscriptionHistory {
        try await history(
            of: customer, among: try await SubscriptionRepository.all(of: customer, in: reader), in: reader)
    }

    /// - Parameter all: The customer's subscriptions.
    private static func history(
        of customer: CustomerReference, among all: [StoredSubscription], in reader: SQLReader
    ) async throws -> SubscriptionHistory {
        let paid = all.isEmpty ? [] : try await SubscriptionGroupRepository.all(of: customer, in: reader)
        let entries = all.map { value in
            var groups = [value.group]
            for row in paid where row.originalID == value.originalID { groups.insert(exactly: row.group) }
            return SubscriptionHistory.Entry(value, groups: groups)
        }
        let offers = try await reader.query(
            """
            SELECT c.subscription_group, c.transaction_identifier, t.product_identifier
            FROM offer_claim c JOIN payment_transaction t ON t.id = c.transaction_id
            WHERE c.bundle_id = ? AND c.customer_identifier = ? ORDER BY c.transaction_id
            """, customer.bundleId, customer.customerIdentifier
        ).map { row in
            let product: String = try row["product_identifier"]
            var groups: [String] = [try row["subscription_group"]]
            for row in paid where row.product.isExactly(product) { groups.insert(exactly: row.group) }
            return SubscriptionHistory.Offer(
                productIdentifier: product, groups: groups, transactionIdentifier: try row["transaction_identifier"])
        }
        return SubscriptionHistory(subscriptions: entries, offers: offers)
    }

    // MARK: The introductory offer's claim

    /// Reserves the offer of a product and of its group. A key for each lets one purchase have it.
    static func reserveOffer(
        group: String, for stored: StoredTransaction, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO offer_claim (bundle_id, customer_identifier, subscription_group, product_identifier,
                transaction_id, state)
            VALUES (?, ?, ?, ?, ?, 'reserved')
            """, stored.customer.bundleId, stored.customer.customerIdentifier, group,
            stored.transaction.payment.productIdentifier, stored.id)
    }

    /// Nothing happens to a transaction without a claim.
    static func consumeOffer(
        of value: PaymentTransaction, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE offer_claim SET state = 'consumed', transaction_identifier = ?
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'reserved'
            """, value.transactionIdentifier, value.id, customer.bundleId, customer.customerIdentifier)
    }

    static func releaseOffer(
        of value: PaymentTransaction, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            DELETE FROM offer_claim
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'reserved'
            """, value.id, customer.bundleId, customer.customerIdentifier)
    }

    // MARK: One purchase of a product at a time

    /// The purchase in flight of a non-consumable or a subscription; others of the same product wait for it (P8).
    static func slotHolder(
        of product: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws -> PurchaseObstacle? {
        try await reader.queryOne(
            """
            SELECT t.id, t.phase, t.awaits_answer FROM purchase_slot s JOIN payment_transaction t ON t.id = s.transaction_id
            WHERE s.bundle_id = ? AND s.customer_identifier = ? AND s.product_identifier = ?
            """, customer.bundleId, customer.customerIdentifier, product
        ).map { row in
            let phase: StoredTransaction.Phase = try row["phase"]
            return PurchaseObstacle(id: try row["id"], isForPerson: try phase == .quarantined || row["awaits_answer"])
        }
    }

    /// How many purchases of the customer wait; `limit` at most.
    static func waitingCount(
        of customer: CustomerReference, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        try await reader.query(
            """
            SELECT id FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND phase = 'waiting' LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, limit
        ).count
    }

    static func takeSlot(
        of product: String, for id: String, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO purchase_slot (bundle_id, customer_identifier, product_identifier, transaction_id)
            VALUES (?, ?, ?, ?)
            """, customer.bundleId, customer.customerIdentifier, product, id)
    }

    static func releaseSlot(
        of value: PaymentTransaction, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            "DELETE FROM purchase_slot WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ?",
            value.id, customer.bundleId, customer.customerIdentifier)
    }

    /// The purchases that wait for a product, oldest first: whom a released slot wakes.
    static func waiting(
        for product: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        var identifiers: [String] = []
        for row in try await reader.query(waitingSQL, customer.bundleId, customer.customerIdentifier, product) {
            identifiers.append(try row["id"])
        }
        return identifiers
    }

    /// Asked with every settled purchase, so it has an index of its own.
    static let waitingSQL = """
        SELECT id FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ? AND phase = 'waiting'
        ORDER BY created_seq LIMIT 100
        """
}

extension SubscriptionHistory.Entry {
    fileprivate init(_ value: StoredSubscription, groups: [String]) {
        self.init(
            originalTransactionIdentifier: value.originalIdentifier, productIdentifier: value.product, groups: groups,
            activeUntil: value.graceUntil ?? value.period.end, activeTransaction: value.period.transactionIdentifier,
            state: value.state, isRenewalDue: value.state == .subscribed && value.willAutoRenew && value.dueAt != nil)
    }
}

extension Quote {
    /// The product with its group of today, to ask a customer's history about; nil for what is no subscription.
    var historyQuestion: SubscriptionHistory.Question? {
        guard let product, product.type == .autoRenewable, let group = product.subscriptionGroupIdentifier else {
            return nil
        }
        return SubscriptionHistory.Question(of: product.productIdentifier, inGroup: group) { other in
            sharesGroup(with: other)
        }
    }

    /// Whether another product is in the same group today.
    func sharesGroup(with other: String) -> Bool {
        subscriptionGroupProducts?.contains { $0.isExactly(other) } ?? false
    }
}

/// Promoted purchases that have had their payment, or never will have one. A row outlives the payment it was written
/// with: history may be cleared, and an intent still pays once (I3). Rows stay, as idempotency keys do.
enum UsedIntentRepository {
    /// Uses an intent up. Of two concurrent commits the second waits for the first, also of another customer.
    /// - Returns: False when it was used before.
    static func use(
        _ intent: String, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            "INSERT INTO used_intent (bundle_id, intent_identifier) VALUES (?, ?) ON CONFLICT DO NOTHING", bundleId,
            intent) == 1
    }

    static func isUsed(
        _ intent: String, of bundleId: String, in reader: SQLReader
    ) async throws(PersistenceError) -> Bool {
        try await reader.queryOne(
            "SELECT 1 AS used FROM used_intent WHERE bundle_id = ? AND intent_identifier = ?", bundleId, intent) != nil
    }
}
