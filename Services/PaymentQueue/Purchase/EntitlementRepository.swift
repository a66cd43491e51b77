import Persistence
import PlantedBugs
import StoreModels

/// Reads and writes the facts for a customer's next purchase: offers, products, purchases in flight, subscriptions.
enum EntitlementRepository {
    /// Looks for the identifier of the purchase by which the customer owns a non-consumable.
    static func ownedSince(_ product: String, _ customer: CustomerReference) -> SQLLookup<String?> {
        SQLLookup(first: owned, customer.bundleId, customer.customerIdentifier, product) { row in
            try row["transaction_identifier"] as String
        }
    }

    private static let owned = SQLBatchStatement.query(
        """
        SELECT transaction_identifier FROM owned_product
        WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ?
        """, .text, .text, .text)

    // MARK: Subscription history

    /// A customer's subscriptions as far as they count for one product (``SubscriptionHistory``).
    struct Subscribed: Sendable {
        /// The subscription that buying the product continues or changes.
        var subscription: StoredSubscription?
        /// The customer's earlier subscriptions in the product's group, if any.
        var history: SubscriptionGroupHistory?

        /// Selects among all of the customer's subscriptions.
        init(
            _ question: SubscriptionHistory.Question, _ history: SubscriptionHistory, among all: [StoredSubscription],
            at now: Timestamp
        ) {
            let entry = history.subscription(of: question, at: now)
            subscription = all.first { $0.originalIdentifier.isExactly(entry?.originalTransactionIdentifier) }
            self.history = history.group(of: question, at: now)
        }
    }

    /// Reads a customer's subscriptions, and their history.
    static func facts(
        of customer: CustomerReference, in reader: SQLReader
    ) async throws -> (subscriptions: [StoredSubscription], history: SubscriptionHistory) {
        try await facts(startFacts(of: customer, in: reader), of: customer, in: reader)
    }

    /// Starts to read a customer's subscriptions and used offers, for ``facts(_:of:in:)``.
    static func startFacts(
        of customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedLookups {
        try await reader.start([SubscriptionRepository.all(of: customer).key, offers(of: customer).key])
    }

    /// Reads also the paid groups of a customer who has subscribed before.
    static func facts(
        _ started: StartedLookups, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> (subscriptions: [StoredSubscription], history: SubscriptionHistory) {
        let rows = try await started.rows()
        let (all, claims) = (SubscriptionRepository.all(of: customer), offers(of: customer))
        let subscriptions = try all.answer(rows[all.key] ?? [])
        let paid = subscriptions.isEmpty ? [] : try await reader.read(SubscriptionGroupRepository.all(of: customer))
        return (subscriptions, history(of: subscriptions, paid, offers: try claims.answer(rows[claims.key] ?? [])))
    }

    /// Makes the history of a customer's subscriptions.
    /// - Parameters:
    ///   - paid: The groups in which their products were paid.
    ///   - offers: The offers used, as of ``offers(of:)``.
    static func history(
        of all: [StoredSubscription], _ paid: [SubscriptionGroupRepository.Row], offers: [SubscriptionHistory.Offer]
    ) -> SubscriptionHistory {
        let entries = all.map { value in
            var groups = [value.group]
            for row in paid where row.originalID == value.originalID { groups.insert(exactly: row.group) }
            return SubscriptionHistory.Entry(value, groups: groups)
        }
        var offers = offers
        for index in offers.indices {
            for row in paid where row.product.isExactly(offers[index].productIdentifier) {
                offers[index].groups.insert(exactly: row.group)
            }
        }
        return SubscriptionHistory(subscriptions: entries, offers: offers)
    }

    /// Looks for the introductory offers that the customer has used, each with the group it was used in.
    static func offers(of customer: CustomerReference) -> SQLLookup<[SubscriptionHistory.Offer]> {
        SQLLookup(all: claimed, customer.bundleId, customer.customerIdentifier) { row in
            SubscriptionHistory.Offer(
                productIdentifier: try row["product_identifier"], groups: [try row["subscription_group"]],
                transactionIdentifier: try row["transaction_identifier"])
        }.map { offers in
            PlantedBug.isActive(.offerClaimedTwice) ? [] : offers
        }
    }

    private static let claimed = SQLBatchStatement.query(
        """
        SELECT c.subscription_group, c.transaction_identifier, t.product_identifier
        FROM offer_claim c JOIN payment_transaction t ON t.id = c.transaction_id
        WHERE c.bundle_id = ? AND c.customer_identifier = ? ORDER BY c.transaction_id
        """, .text, .text)

    // MARK: Claims of introductory offers

    /// Claims the offer of a product and of its group. A unique key for each admits one purchase.
    /// - Parameter stored: A purchased transaction consumes the offer. One in progress reserves it.
    static func claimOffer(group: String, for stored: StoredTransaction) -> SQLChange {
        let identifier = stored.transaction.transactionIdentifier
        return SQLChange(
            claims, stored.customer.bundleId, stored.customer.customerIdentifier, group,
            stored.transaction.payment.productIdentifier, stored.id, identifier == nil ? "reserved" : "consumed",
            identifier)
    }

    private static let claims = SQLBatchStatement.insert(
        into: "offer_claim",
        [
            "bundle_id": .text, "customer_identifier": .text, "subscription_group": .text, "product_identifier": .text,
            "transaction_id": .text, "state": .text, "transaction_identifier": .text,
        ])

    /// Consumes the offer a transaction has reserved, if any.
    static func consumeOffer(of value: PaymentTransaction, _ customer: CustomerReference) -> SQLChange {
        SQLChange(
            consumed, value.transactionIdentifier, value.id, customer.bundleId, customer.customerIdentifier)
    }

    private static let consumed = SQLBatchStatement.update(
        "offer_claim", set: "state = 'consumed', transaction_identifier = ?", where: claim, .text, .text, .text, .text)
    /// The condition on the offer that a transaction has reserved.
    private static let claim =
        "transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'reserved'"

    /// Releases the offer a transaction has reserved, if any.
    static func releaseOffer(of value: PaymentTransaction, _ customer: CustomerReference) -> SQLChange {
        SQLChange(releasedOffers, value.id, customer.bundleId, customer.customerIdentifier)
    }

    private static let releasedOffers = SQLBatchStatement.delete(
        from: "offer_claim", where: claim, .text, .text, .text)

    // MARK: Product slots

    /// Looks for the purchase in flight of a product. Other purchases of the product wait for it (P8).
    static func slotHolder(of product: String, _ customer: CustomerReference) -> SQLLookup<PurchaseObstacle?> {
        SQLLookup(first: slot, customer.bundleId, customer.customerIdentifier, product) { row in
            let phase: StoredTransaction.Phase = try row["phase"]
            return PurchaseObstacle(id: try row["id"], isForPerson: try phase == .quarantined || row["awaits_answer"])
        }
    }

    private static let slot = SQLBatchStatement.query(
        """
        SELECT t.id, t.phase, t.awaits_answer
        FROM purchase_slot s JOIN payment_transaction t ON t.id = s.transaction_id
        WHERE s.bundle_id = ? AND s.customer_identifier = ? AND s.product_identifier = ?
        """, .text, .text, .text)

    /// Counts the customer's waiting purchases, up to `limit`.
    static func waitingCount(of customer: CustomerReference, limit: Int) -> SQLLookup<Int> {
        SQLLookup(anyWaiting, customer.bundleId, customer.customerIdentifier, limit) { rows in rows.count }
    }

    private static let anyWaiting = SQLBatchStatement.query(
        """
        SELECT id FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND phase = 'waiting' LIMIT ?
        """, .text, .text, .integer)

    static func takeSlot(of product: String, for id: String, _ customer: CustomerReference) -> SQLChange {
        SQLChange(takenSlots, customer.bundleId, customer.customerIdentifier, product, id)
    }

    private static let takenSlots = SQLBatchStatement.insert(
        into: "purchase_slot",
        ["bundle_id": .text, "customer_identifier": .text, "product_identifier": .text, "transaction_id": .text])

    static func releaseSlot(of value: PaymentTransaction, _ customer: CustomerReference) -> SQLChange {
        SQLChange(releasedSlots, value.id, customer.bundleId, customer.customerIdentifier)
    }

    private static let releasedSlots = SQLBatchStatement.delete(
        from: "purchase_slot", where: "transaction_id = ? AND bundle_id = ? AND customer_identifier = ?",
        .text, .text, .text)

    /// Looks for the purchases that wait for a product, oldest first. A released slot wakes them.
    static func waiting(for product: String, _ customer: CustomerReference) -> SQLLookup<[String]> {
        SQLLookup(waitingForProduct, customer.bundleId, customer.customerIdentifier, product) { rows in
            try rows.values(of: "id")
        }
    }

    /// Runs with every settled purchase, so it has its own index.
    static let waitingSQL = """
        SELECT id FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND product_identifier = ? AND phase = 'waiting'
        ORDER BY created_seq LIMIT 100
        """
    private static let waitingForProduct = SQLBatchStatement.query(waitingSQL, .text, .text, .text)

    // MARK: Non-consumables

    /// Stores the non-consumable a purchase gives, without an end. Subscriptions have their own rows.
    /// - Returns: Nil for a purchase of another type.
    static func grant(_ value: PaymentTransaction, terms: PurchaseTerms, to customer: CustomerReference) -> SQLChange? {
        guard terms.productType == .nonConsumable, let identifier = value.transactionIdentifier else { return nil }
        return SQLChange(
            granted, customer.bundleId, customer.customerIdentifier, value.payment.productIdentifier, value.id,
            identifier)
    }

    private static let granted = SQLBatchStatement.insert(
        into: "owned_product",
        [
            "bundle_id": .text, "customer_identifier": .text, "product_identifier": .text, "transaction_id": .text,
            "transaction_identifier": .text,
        ], "ON CONFLICT DO NOTHING")

    /// Tells whether a purchase gives a non-consumable, until ``takeAway(_:from:)``.
    static func gave(_ id: String, _ customer: CustomerReference) -> SQLLookup<Bool> {
        SQLLookup(given, id, customer.bundleId, customer.customerIdentifier) { rows in !rows.isEmpty }
    }

    private static let given = SQLBatchStatement.query(
        """
        SELECT product_identifier FROM owned_product
        WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ?
        """, .text, .text, .text)

    /// Removes the non-consumable a purchase gave, if any.
    static func takeAway(_ id: String, from customer: CustomerReference) -> SQLChange {
        SQLChange(takenAway, id, customer.bundleId, customer.customerIdentifier)
    }

    private static let takenAway = SQLBatchStatement.delete(
        from: "owned_product", where: "transaction_id = ? AND bundle_id = ? AND customer_identifier = ?",
        .text, .text, .text)

    // MARK: Other offers

    /// The payment that has a promotional offer's nonce.
    struct NonceHolder: Hashable, Sendable {
        var customer: CustomerReference
        @ExactText var requestKey: String
    }

    /// Looks for the payment that has a nonce. A nonce counts once in an app.
    static func holder(ofNonce nonce: String, in bundleId: String) -> SQLLookup<NonceHolder?> {
        SQLLookup(first: nonces, bundleId, nonce.lowercased()) { row in
            NonceHolder(customer: try CustomerReference(row), requestKey: try row["request_key"])
        }
    }

    private static let nonces = SQLBatchStatement.query(
        """
        SELECT bundle_id, customer_identifier, request_key FROM offer_nonce WHERE bundle_id = ? AND nonce = ?
        """, .text, .text)

    /// Gives a nonce to a payment, which keeps it, also if the purchase fails.
    static func takeNonce(_ nonce: String, for holder: NonceHolder) -> SQLChange {
        SQLChange(
            takenNonces, holder.customer.bundleId, nonce.lowercased(), holder.customer.customerIdentifier,
            holder.requestKey)
    }

    private static let takenNonces = SQLBatchStatement.insert(
        into: "offer_nonce",
        ["bundle_id": .text, "nonce": .text, "customer_identifier": .text, "request_key": .text])

    /// Looks for the facts for win-back offers. Only periods that were paid and not refunded count.
    ///
    /// It reads every period, so it is asked only when such an offer is redeemed or listed.
    static func winBackFacts(
        of subscription: StoredSubscription, history: SubscriptionGroupHistory?
    ) -> SQLLookup<WinBackFacts> {
        let end = subscription.period.end
        return SQLLookup(all: periods, subscription.originalID) { try StoredTransaction($0) }.map { periods in
            let paid = periods.filter { period in
                (period.transaction.price?.minorUnits ?? 0) > 0 && period.transaction.revocationDate == nil
            }
            let winBacks = periods.filter { $0.transaction.offer?.type == .winBack }
            return WinBackFacts(
                history: history,
                paidMonths: WinBackFacts.months(of: paid.compactMap { $0.terms?.subscription?.accessPeriod }),
                expiredAt: periods.last?.transaction.revocationDate ?? end,
                lastWinBackAt: winBacks.compactMap(\.transaction.transactionDate).max())
        }
    }

    private static let periods = SQLBatchStatement.query(
        """
        SELECT t.* FROM subscription_period p JOIN payment_transaction t ON t.id = p.transaction_id
        WHERE p.original_id = ? ORDER BY p.period_index
        """, .text)
}

extension SubscriptionHistory.Entry {
    fileprivate init(_ value: StoredSubscription, groups: [String]) {
        self.init(
            originalTransactionIdentifier: value.originalIdentifier, productIdentifier: value.product, groups: groups,
            activeUntil: value.retry.graceUntil ?? value.period.end,
            activeTransaction: value.period.transactionIdentifier,
            state: value.state, isRenewalDue: value.state == .subscribed && value.willAutoRenew && value.dueAt != nil)
    }
}

extension Quote {
    /// Returns the question to a customer's history: the product with its present group.
    /// - Returns: The question, or nil for a product that is not a subscription.
    var historyQuestion: SubscriptionHistory.Question? {
        guard let product, product.type == .autoRenewable, let group = product.subscriptionGroupIdentifier else {
            return nil
        }
        return SubscriptionHistory.Question(of: product.productIdentifier, inGroup: group) { other in
            sharesGroup(with: other)
        }
    }

    /// Tells whether another product is in the same group today.
    func sharesGroup(with other: String) -> Bool {
        subscriptionGroupProducts?.contains { $0.isExactly(other) } ?? false
    }
}

/// Stores the promoted purchases that have had their payment, or must not have one.
///
/// A row outlives its payment: history may be cleared, and an intent still pays once (I3). Rows stay.
enum UsedIntentRepository {
    /// Uses an intent up, unless it was used before. A concurrent commit waits for the first.
    static func use(
        _ intent: String, of bundleId: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.execute(
            "INSERT INTO used_intent (bundle_id, intent_identifier) VALUES (?, ?) ON CONFLICT DO NOTHING", bundleId,
            intent)
    }

    /// Uses up an intent that was not used before.
    static func insert(_ intent: String, of bundleId: String) -> SQLChange { SQLChange(inserted, bundleId, intent) }

    private static let inserted = SQLBatchStatement.insert(
        into: "used_intent", ["bundle_id": .text, "intent_identifier": .text])

    static func isUsed(_ intent: String, of bundleId: String) -> SQLLookup<Bool> {
        SQLLookup(used, bundleId, intent) { rows in !rows.isEmpty }
    }

    private static let used = SQLBatchStatement.query(
        "SELECT 1 AS used FROM used_intent WHERE bundle_id = ? AND intent_identifier = ?", .text, .text)
}
