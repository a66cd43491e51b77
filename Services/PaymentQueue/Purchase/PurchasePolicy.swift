import StoreModels

/// Decides what becomes of a payment, from the quote and what is known of the customer. No I/O: the same context gives the
/// same answer, in the commit that begins the purchase and when a purchase that waited is looked at again.
enum PurchasePolicy {
    /// What the decision rests on, read in the commit that writes it.
    struct Context: Hashable, Sendable {
        var canMakePayments = true
        /// Purchased and restored transactions that wait for their finish. Failed ones do not count: otherwise each
        /// refusal would prolong itself.
        var unfinishedCount = 0
        /// The identifier of the customer's purchase of this non-consumable, if there is one.
        var ownedSince: String?
        /// Another purchase of the same product is in flight.
        var isSlotTaken = false
        /// What is in the way and ends with one commit.
        var obstacle: PurchaseObstacle?
        /// The customer's purchases that wait already.
        var waitingCount = 0
        /// The customer's subscription in the product's group.
        var subscription: StoredSubscription?
        var groupHistory: SubscriptionGroupHistory?
        /// How the tester's rate compresses the periods of what is bought now.
        var rate = SubscriptionRenewalRate.realTime
        /// The nonce of the payment's discount has come with another payment.
        var isNonceUsed = false
        /// Of payments that redeem a win-back offer.
        var winBack: WinBackFacts?

        /// Something has to end before it is known what there is to sell.
        func mustWait(at now: Timestamp) -> Bool { isSlotTaken || subscription?.isBusy(at: now) == true }
    }

    /// Purchases of one customer that wait; one more fails. Nothing else bounds them: they cost nothing yet, and each
    /// is looked at again.
    static let waitingMax = 100

    enum Decision: Hashable, Sendable {
        /// Sell it on these terms; `reservesOffer` names the group whose offer is used.
        case sell(PurchaseTerms, reservesOffer: String?)
        /// Until the other purchase of the same product has ended, or what is due in the subscription's group is done:
        /// then decide again.
        case wait
        /// A failed transaction; nothing is charged.
        case fail(TransactionError)
    }

    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - now: the business clock.
    static func decide(
        _ payment: Payment, _ request: OfferRequest? = nil, quote: Quote, context: Context, now: Timestamp
    ) -> Decision {
        guard context.canMakePayments else {
            return .fail(
                TransactionError(.paymentNotAllowed, "Purchases are not allowed on this device.")
                    .dueTo("canMakePayments"))
        }
        guard quote.availability != .unknown, let product = quote.product else {
            return quote.availability == .notForSale
                ? .fail(notForSale) : .fail(TransactionError(.paymentInvalid, "The app has no such product."))
        }
        guard quote.availability == .available else { return .fail(notForSale) }
        guard payment.quantity == 1 || product.type.isSoldInQuantity else { return .fail(onlyOne) }
        if let limit = quote.unfinishedLimit, context.unfinishedCount >= limit {
            return .fail(
                TransactionError(
                    .unknown, "Finish the \(context.unfinishedCount) transactions that wait before you buy again.",
                    reason: "unfinishedTransactions"
                ).dueTo("unfinishedLimit"))
        }
        let search = RequestedOfferPolicy.search(
            payment, request, product: product, redeemable: quote.redeemableOffers ?? [])
        if case .fail(let error) = search { return .fail(error) }
        if context.isNonceUsed { return .fail(RequestedOfferPolicy.nonceUsed) }
        if context.mustWait(at: now) { return context.waitingCount < waitingMax ? .wait : .fail(tooManyWait) }
        if product.type == .nonConsumable, let since = context.ownedSince {
            return .sell(
                PurchaseTerms(owned: product, since: since, catalogVersion: quote.catalogVersion), reservesOffer: nil)
        }
        let sale = Sale(product: product, quantity: payment.quantity, quote: quote, context: context, now: now)
        guard case .found(let found) = search else { return sell(sale) }
        return RequestedOfferPolicy.isEligible(found, context: context, now: now)
            ? sell(sale, at: found) : .fail(RequestedOfferPolicy.ineligible)
    }

    private static let notForSale = TransactionError(
        .storeProductNotAvailable, "The product is not for sale in this storefront.")
    private static let onlyOne = TransactionError(
        .paymentInvalid, "A quantity is for consumables and non-renewing subscriptions; this product is bought once.",
        reason: "invalidQuantity")
    private static let tooManyWait = TransactionError(
        .unknown, "\(waitingMax) purchases wait for others to end; let those end before you buy again.",
        reason: "unfinishedTransactions")
    private static let alreadySubscribed = TransactionError(
        .unknown, "You are already subscribed to this.", underlying: 3532)

    /// What can be sold, and what is known of who buys it.
    private struct Sale {
        let product: Product
        let quantity: Int
        let quote: Quote
        let context: Context
        let now: Timestamp
    }

    private static func sell(_ sale: Sale, at found: RequestedOfferPolicy.Found? = nil) -> Decision {
        switch change(sale, takesOffer: found != nil) {
        case .begin: return sell(sale, found, change: nil)
        case .replace(let change): return sell(sale, found, change: change)
        case .schedule(let date): return note(.scheduled, sale, effectiveDate: date)
        case .revert: return note(.reverted, sale, effectiveDate: sale.now)
        case .alreadySubscribed: return .fail(alreadySubscribed)
        }
    }

    private static func change(_ sale: Sale, takesOffer: Bool) -> SubscriptionChangePolicy.Outcome {
        guard sale.product.type == .autoRenewable, let length = sale.product.subscriptionPeriod else { return .begin }
        return SubscriptionChangePolicy.decide(
            .init(
                product: sale.product.productIdentifier, level: sale.quote.subscriptionLevel ?? 1, length: length,
                takesOffer: takesOffer), sale.context.subscription, now: sale.now)
    }

    private static func note(
        _ change: PurchaseTerms.Change, _ sale: Sale, effectiveDate: Timestamp
    ) -> Decision {
        .sell(
            PurchaseTerms(
                noting: change, to: sale.product, level: sale.quote.subscriptionLevel,
                catalogVersion: sale.quote.catalogVersion, effectiveDate: effectiveDate, rate: sale.context.rate
            ).filed(under: sale.context.subscription),
            reservesOffer: nil)
    }

    private static func sell(
        _ sale: Sale, _ found: RequestedOfferPolicy.Found?, change: PurchaseTerms.Change?
    ) -> Decision {
        let introductory = found == nil ? introductoryOffer(of: sale) : nil
        let terms = PurchaseTerms(
            product: sale.product, level: sale.quote.subscriptionLevel, quantity: sale.quantity,
            catalogVersion: sale.quote.catalogVersion, offer: found?.discount ?? introductory, applied: found?.applied,
            rate: sale.context.rate)
        guard var terms = terms?.filed(under: sale.context.subscription) else {
            return .fail(TransactionError(.paymentInvalid, "The price is too large."))
        }
        terms.change = change
        return .sell(terms, reservesOffer: introductory == nil ? nil : sale.product.subscriptionGroupIdentifier)
    }

    /// A customer who is not eligible pays the regular price, also if the client has shown another (M134).
    private static func introductoryOffer(of sale: Sale) -> ProductDiscount? {
        guard sale.product.type == .autoRenewable, sale.product.subscriptionGroupIdentifier != nil,
            let offer = sale.product.introductoryPrice
        else { return nil }
        let decision = IntroductoryOfferPolicy.decide(history: sale.context.groupHistory, now: sale.now)
        return decision.eligibility == .eligible ? offer : nil
    }
}
