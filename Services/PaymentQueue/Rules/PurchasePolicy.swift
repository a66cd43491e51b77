import StoreModels

/// Decides what becomes of a payment, from the quote and what is known of the customer. No I/O: the same facts give the
/// same answer, in the commit that begins the purchase and when a purchase that waited is looked at again.
package enum PurchasePolicy {
    /// What the decision rests on, read in the commit that writes it.
    package struct Facts: Hashable, Sendable {
        package var canMakePayments: Bool
        /// Purchased and restored transactions that wait for their finish. Failed ones do not count: otherwise each
        /// refusal would prolong itself.
        package var unfinishedCount: Int
        /// The identifier of the customer's purchase of this non-consumable, if there is one.
        package var ownedSince: String?
        /// Another purchase of the same product is in flight.
        package var isSlotTaken: Bool
        /// The product that is active in the subscription's group.
        package var activeProduct: String?
        package var groupHistory: SubscriptionGroupHistory?

        package init(
            canMakePayments: Bool = true, unfinishedCount: Int = 0, ownedSince: String? = nil,
            isSlotTaken: Bool = false,
            activeProduct: String? = nil, groupHistory: SubscriptionGroupHistory? = nil
        ) {
            self.canMakePayments = canMakePayments
            self.unfinishedCount = unfinishedCount
            self.ownedSince = ownedSince
            self.isSlotTaken = isSlotTaken
            self.activeProduct = activeProduct
            self.groupHistory = groupHistory
        }
    }

    package enum Decision: Hashable, Sendable {
        /// Sell it on these terms; `reservesOffer` names the group whose offer is used.
        case sell(PurchaseTerms, reservesOffer: String?)
        /// Until the other purchase of the same product has ended: then decide again.
        case wait
        /// A failed transaction; nothing is charged.
        case fail(TransactionError)
    }

    /// - Parameter now: the business clock.
    package static func decide(quote: Quote, quantity: Int, facts: Facts, now: Timestamp) -> Decision {
        guard facts.canMakePayments else {
            return .fail(TransactionError(.paymentNotAllowed, "Purchases are not allowed on this device."))
        }
        guard quote.availability != .unknown, let product = quote.product else {
            return quote.availability == .notForSale
                ? .fail(notForSale) : .fail(TransactionError(.paymentInvalid, "The app has no such product."))
        }
        guard quote.availability == .available else { return .fail(notForSale) }
        if let limit = quote.unfinishedLimit, facts.unfinishedCount >= limit {
            return .fail(
                TransactionError(
                    .unknown, "Finish the \(facts.unfinishedCount) transactions that wait before you buy again.",
                    reason: "unfinishedTransactions"))
        }
        if facts.isSlotTaken { return .wait }
        if let active = facts.activeProduct, active == product.productIdentifier, isActive(facts, now) {
            return .fail(TransactionError(.unknown, "You are already subscribed to this.", underlying: 3532))
        }
        if product.type == .nonConsumable, let since = facts.ownedSince {
            return .sell(
                PurchaseTerms(owned: product, since: since, catalogVersion: quote.catalogVersion), reservesOffer: nil)
        }
        return sell(product, quote: quote, quantity: quantity, facts: facts, now: now)
    }

    private static let notForSale = TransactionError(
        .storeProductNotAvailable, "The product is not for sale in this storefront.")

    private static func isActive(_ facts: Facts, _ now: Timestamp) -> Bool {
        facts.groupHistory?.activeUntil.map { $0 > now } ?? false
    }

    private static func sell(
        _ product: Product, quote: Quote, quantity: Int, facts: Facts, now: Timestamp
    ) -> Decision {
        let offer = introductoryOffer(of: product, facts: facts, now: now)
        guard
            let terms = PurchaseTerms(
                product: product, level: quote.subscriptionLevel, quantity: quantity,
                catalogVersion: quote.catalogVersion, offer: offer)
        else { return .fail(TransactionError(.paymentInvalid, "The price is too large.")) }
        return .sell(terms, reservesOffer: offer == nil ? nil : product.subscriptionGroupIdentifier)
    }

    /// Whoever may not have the offer pays the regular price, whatever the client has shown (M134).
    private static func introductoryOffer(of product: Product, facts: Facts, now: Timestamp) -> ProductDiscount? {
        guard product.type == .autoRenewable, product.subscriptionGroupIdentifier != nil,
            let offer = product.introductoryPrice
        else { return nil }
        let decision = IntroductoryOfferPolicy.decide(history: facts.groupHistory, now: now)
        return decision.eligibility == .eligible ? offer : nil
    }
}
