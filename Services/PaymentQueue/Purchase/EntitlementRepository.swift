import Persistence
import PlantedBugs
import StoreModels

/// Reads the facts for a customer's next purchase: offers, products, subscriptions, purchases in flight.
enum EntitlementRepository {
    /// Reads the context ``PurchasePolicy`` needs about one product, without the commit's own additions.
    /// - Parameters:
    ///   - tester: The account's settings over all defaults.
    ///   - unfinishedLimit: The app's limit of unfinished transactions, if it has one.
    ///   - subscribed: The customer's subscriptions as far as they count for the product.
    ///   - facts: The product's queries, which were started.
    ///   - id: The purchase itself, when it is already waiting.
    static func context(
        of customer: Customer, tester: TesterSettings, product: Product?, unfinishedLimit: Int?,
        subscribed: Subscribed?, _ facts: StartedFacts, except id: String? = nil, in reader: SQLReader
    ) async throws -> PurchasePolicy.Context {
        var context = PurchasePolicy.Context(
            canMakePayments: tester.canMakePayments ?? true, subscription: subscribed?.subscription,
            groupHistory: subscribed?.history, rate: tester.subscriptionRenewalRate ?? .realTime)
        if let unfinishedLimit {
            context.unfinishedCount = try await TransactionRepository.unfinishedCount(
                of: customer.id, limit: max(unfinishedLimit, 0) + 1, in: reader)
        }
        if let slot = facts.slot, let holder = try await slotHolder(slot), holder.id != id {
            (context.isSlotTaken, context.obstacle) = (true, holder)
        }
        if context.obstacle == nil, let subscription = subscribed?.subscription, subscription.isQuarantined {
            context.obstacle = PurchaseObstacle(id: subscription.originalID, isForPerson: true)
        }
        if let product, product.type == .nonConsumable {
            context.ownedSince = try await ownedSince(product.productIdentifier, customer.id, in: reader)
        }
        return context
    }

    /// The started queries of the facts for a purchase of one product. Nil if the product's type does not need the
    /// query.
    struct StartedFacts {
        var history: StartedHistory?
        /// The purchase in flight of the product.
        var slot: StartedQuery?
    }

    /// Starts to read the facts for a purchase. Subscriptions are locked until the commit, so that no renewal begins
    /// between the decision and its commit.
    static func start(
        _ quote: Quote, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> StartedFacts {
        var facts = StartedFacts()
        guard let product = quote.product else { return facts }
        if quote.historyQuestion != nil {
            facts.history = StartedHistory(
                customer: customer,
                subscriptions: try await SubscriptionRepository.startLockAll(of: customer, in: transaction),
                offers: try await startOffers(of: customer, in: transaction))
        }
        if product.type.isSoldOneAtATime {
            facts.slot = try await startSlotHolder(of: product.productIdentifier, customer, in: transaction)
        }
        return facts
    }

    /// Reads the identifier of the purchase by which the customer owns a non-consumable.
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

    /// A customer's subscriptions as far as they count for one product (``SubscriptionHistory``).
    struct Subscribed: Sendable {
        /// The subscription that buying the product continues or changes.
        var subscription: StoredSubscription?
        /// The customer's earlier subscriptions in the product's group, if any.
        var history: SubscriptionGroupHistory?
    }

    /// Selects the subscriptions that count for one product.
    static func subscribed(
        _ question: SubscriptionHistory.Question, _ started: StartedHistory, at now: Timestamp, in reader: SQLReader
    ) async throws -> Subscribed {
        let all = try await SubscriptionRepository.all(started.subscriptions)
        let history = try await history(started, among: all, in: reader)
        let entry = history.subscription(of: question, at: now)
        return Subscribed(
            subscription: all.first { $0.originalIdentifier.isExactly(entry?.originalTransactionIdentifier) },
            history: history.group(of: question, at: now))
    }

    /// The started queries of a customer's subscription history.
    struct StartedHistory {
        let customer: CustomerReference
        /// The customer's subscriptions.
        let subscriptions: StartedQuery
        /// The introductory offers that the customer has used.
        let offers: StartedQuery
    }

    static func startHistory(
        of customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedHistory {
        StartedHistory(
            customer: customer, subscriptions: try await SubscriptionRepository.startAll(of: customer, in: reader),
            offers: try await startOffers(of: customer, in: reader))
    }

    static func history(of customer: CustomerReference, in reader: SQLReader) async throws -> SubscriptionHistory {
        try await history(try await startHistory(of: customer, in: reader), in: reader)
    }

    static func history(_ started: StartedHistory, in reader: SQLReader) async throws -> SubscriptionHistory {
        let all = try await SubscriptionRepository.all(started.subscriptions)
        return try await history(started, among: all, in: reader)
    }

    private static func startOffers(
        of customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.startAll(
            """
            SELECT c.subscription_group, c.transaction_identifier, t.product_identifier
            FROM offer_claim c JOIN payment_transaction t ON t.id = c.transaction_id
            WHERE c.bundle_id = ? AND c.customer_identifier = ? ORDER BY c.transaction_id
            """, customer.bundleId, customer.customerIdentifier)
    }

    /// Reads the paid groups of a customer who has subscribed before.
    /// - Parameter all: The customer's subscriptions.
    private static func history(
        _ started: StartedHistory, among all: [StoredSubscription], in reader: SQLReader
    ) async throws -> SubscriptionHistory {
        let paid = all.isEmpty ? [] : try await SubscriptionGroupRepository.all(of: started.customer, in: reader)
        let entries = all.map { value in
            var groups = [value.group]
            for row in paid where row.originalID == value.originalID { groups.insert(exactly: row.group) }
            return SubscriptionHistory.Entry(value, groups: groups)
        }
        var offers = try await started.offers.rows().map { row in
            let product: String = try row["product_identifier"]
            var groups: [String] = [try row["subscription_group"]]
            for row in paid where row.product.isExactly(product) { groups.insert(exactly: row.group) }
            return SubscriptionHistory.Offer(
                productIdentifier: product, groups: groups, transactionIdentifier: try row["transaction_identifier"])
        }
        if PlantedBug.isActive(.offerClaimedTwice) { offers.removeAll { $0.transactionIdentifier == nil } }
        return SubscriptionHistory(subscriptions: entries, offers: offers)
    }

    // MARK: Claims of introductory offers

    /// Reserves the offer of a product and of its group. A unique key for each admits one purchase.
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

    /// Consumes the offer a transaction has reserved, if any.
    static func consumeOffer(
        of value: PaymentTransaction, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE offer_claim SET state = 'consumed', transaction_identifier = ?
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'reserved'
            """, value.transactionIdentifier, value.id, customer.bundleId, customer.customerIdentifier)
    }

    /// Releases the offer a transaction has reserved, if any.
    static func releaseOffer(
        of value: PaymentTransaction, _ customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            DELETE FROM offer_claim
            WHERE transaction_id = ? AND bundle_id = ? AND customer_identifier = ? AND state = 'reserved'
            """, value.id, customer.bundleId, customer.customerIdentifier)
    }

    // MARK: Product slots

    /// Reads the purchase in flight of a product. Other purchases of the product wait for it (P8).
    private static func startSlotHolder(
        of product: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.start(
            """
            SELECT t.id, t.phase, t.awaits_answer
            FROM purchase_slot s JOIN payment_transaction t ON t.id = s.transaction_id
            WHERE s.bundle_id = ? AND s.customer_identifier = ? AND s.product_identifier = ?
            """, customer.bundleId, customer.customerIdentifier, product)
    }

    private static func slotHolder(_ started: StartedQuery) async throws -> PurchaseObstacle? {
        try await started.first().map { row in
            let phase: StoredTransaction.Phase = try row["phase"]
            return PurchaseObstacle(id: try row["id"], isForPerson: try phase == .quarantined || row["awaits_answer"])
        }
    }

    /// Counts the customer's waiting purchases, up to `limit`.
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

    /// Reads the purchases that wait for a product, oldest first. A released slot wakes them.
    static func waiting(
        for product: String, _ customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        return try await reader.query(waitingSQL, customer.bundleId, customer.customerIdentifier, product).values(
            of: "id")
    }

    /// Runs with every settled purchase, so it has its own index.
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
/// A row outlives its payment: history may be cleared, and an intent still pays once (I3). Rows stay, as idempotency
/// keys do.
enum UsedIntentRepository {
    /// Uses an intent up. A concurrent commit, also of another customer, waits for the first.
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
    /// - Returns: False when it gave no non-consumable.
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

/// Reads the facts for offers other than the introductory one.
extension EntitlementRepository {
    /// Reserves the nonce of a promotional offer for a payment.
    ///
    /// A nonce counts once in an app. The first payment keeps it, also if the purchase fails.
    /// - Returns: False when another payment has it.
    static func takeNonce(
        _ nonce: String, for payment: Payment, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let nonce = nonce.lowercased()
        try await transaction.execute(
            """
            INSERT INTO offer_nonce (bundle_id, nonce, customer_identifier, request_key) VALUES (?, ?, ?, ?)
            ON CONFLICT (bundle_id, nonce) DO NOTHING
            """, customer.bundleId, nonce, customer.customerIdentifier, payment.requestIdentifier)
        return try await transaction.queryOne(
            """
            SELECT 1 AS found FROM offer_nonce
            WHERE bundle_id = ? AND nonce = ? AND customer_identifier = ? AND request_key = ?
            """, customer.bundleId, nonce, customer.customerIdentifier, payment.requestIdentifier) != nil
    }

    /// Reads the facts for win-back offers. Only periods that were paid and not refunded count.
    ///
    /// It reads every period, so it is called only when such an offer is redeemed or listed.
    static func winBackFacts(
        of subscription: StoredSubscription?, history: SubscriptionGroupHistory?, in reader: SQLReader
    ) async throws -> WinBackFacts {
        guard let subscription else { return WinBackFacts(history: history, paidMonths: 0, expiredAt: nil) }
        let periods = try await reader.query(
            """
            SELECT t.* FROM subscription_period p JOIN payment_transaction t ON t.id = p.transaction_id
            WHERE p.original_id = ? ORDER BY p.period_index
            """, subscription.originalID
        ).map(StoredTransaction.init)
        let paid = periods.filter { period in
            (period.transaction.price?.minorUnits ?? 0) > 0 && period.transaction.revocationDate == nil
        }
        let winBacks = periods.filter { $0.transaction.offer?.type == .winBack }
        return WinBackFacts(
            history: history,
            paidMonths: WinBackFacts.months(of: paid.compactMap { $0.terms?.subscription?.accessPeriod }),
            expiredAt: periods.last?.transaction.revocationDate ?? subscription.period.end,
            lastWinBackAt: winBacks.compactMap(\.transaction.transactionDate).max())
    }
}
