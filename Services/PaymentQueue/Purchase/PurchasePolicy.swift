import StoreModels

/// Decides about a payment from its quote and the customer's context, without I/O.
///
/// The same context gives the same decision, in the commit that begins the purchase and when a waiting purchase is
/// planned again.
enum PurchasePolicy {
    /// The facts the decision depends on, read in the commit that writes it.
    struct Context: Hashable, Sendable {
        var canMakePayments = true
        /// The number of purchased and restored transactions that are not finished.
        ///
        /// Failed ones do not count: otherwise each refusal would prolong itself.
        var unfinishedCount = 0
        /// The identifier of the customer's purchase of this non-consumable, if there is one.
        var ownedSince: String?
        /// Whether another purchase of the same product is in flight.
        var isSlotTaken = false
        /// The obstacle that ends with one commit, if there is one.
        var obstacle: PurchaseObstacle?
        /// The number of the customer's waiting purchases.
        var waitingCount = 0
        /// The customer's subscription in the product's group.
        var subscription: StoredSubscription?
        /// The customer's earlier subscriptions in the product's group, if any.
        var groupHistory: SubscriptionGroupHistory?
        /// The tester's rate, which compresses the periods of new purchases.
        var rate = SubscriptionRenewalRate.realTime
        /// Whether another payment has used the nonce of the payment's discount.
        var isNonceUsed = false
        /// Whether an eligible customer gets the introductory offer. A purchase in the past does not.
        var givesIntroductoryOffer = true
        /// Set for payments that redeem a win-back offer.
        var winBack: WinBackFacts?

        /// Tells whether another purchase or renewal has to end before the terms are known.
        func mustWait(at now: Timestamp) -> Bool { isSlotTaken || subscription?.isBusy(at: now) == true }
    }

    /// Maximum number of a customer's waiting purchases. One more fails.
    ///
    /// It is their only limit, because they cost nothing yet, and each is planned again.
    static let waitingMax = 100

    enum Decision: Hashable, Sendable {
        /// Sell it on these terms. `reservesOffer` names the group whose offer is used.
        case sell(PurchaseTerms, reservesOffer: String?)
        /// Plan again later. Another purchase of the product, or a change that is due in the group, ends first.
        case wait
        /// A failed transaction. Nothing is charged.
        case fail(TransactionError)
    }

    /// Decides about a payment.
    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - now: The app's clock.
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

    /// A product on sale, and the customer's context.
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

    /// Finds the introductory offer. A customer who is not eligible pays the regular price, also if the client has
    /// shown another (M134).
    private static func introductoryOffer(of sale: Sale) -> ProductDiscount? {
        guard sale.context.givesIntroductoryOffer, sale.product.type == .autoRenewable,
            sale.product.subscriptionGroupIdentifier != nil, let offer = sale.product.introductoryPrice
        else { return nil }
        let decision = IntroductoryOfferPolicy.decide(history: sale.context.groupHistory, now: sale.now)
        return decision.eligibility == .eligible ? offer : nil
    }
}
