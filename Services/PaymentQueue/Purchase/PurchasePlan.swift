import StoreModels

/// The obstacle that a waiting purchase waits for.
///
/// It is a purchase in flight of the same product, or a subscription whose renewal is in quarantine.
struct PurchaseObstacle: Hashable, Sendable {
    /// The purchase's `id`, or that of the subscription's first transaction.
    var id: String
    /// Whether it ends only with a person's answer or decision.
    var isForPerson: Bool
}

/// The decision about a payment: the terms of the sale, and the people who have to agree first.
struct PurchasePlan: Hashable, Sendable {
    var decision: PurchasePolicy.Decision
    /// The answers that come before the charge, in this order. Empty unless something is sold.
    var asks: [Prompt.Kind]
    /// The obstacle of a waiting purchase, or nil if several commits may end the waiting.
    var obstacle: PurchaseObstacle?

    /// Plans a payment.
    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - tester: The account's settings over all defaults.
    ///   - storefront: The shopper's storefront.
    ///   - now: The app's clock.
    ///   - isResumed: Whether the purchase was interrupted and continues.
    ///   - isPast: Whether it is dated back: it asks for no answer, and its charge was approved.
    init(
        payment: Payment, _ request: OfferRequest? = nil, quote: Quote, context: PurchasePolicy.Context,
        tester: TesterSettings, storefront: String? = nil, now: Timestamp, isResumed: Bool = false, isPast: Bool = false
    ) {
        let decision = PurchasePolicy.decide(payment, request, quote: quote, context: context, now: now)
        let asksToBuy = payment.simulatesAskToBuyInSandbox
        let sheet: PaymentSheetPolicy.Outcome =
            if isPast { .pay } else if isResumed {
                PaymentSheetPolicy.decideAgain(tester: tester, asksToBuy: asksToBuy)
            } else { PaymentSheetPolicy.decide(tester: tester, asksToBuy: asksToBuy) }
        self.decision = decision.charged(as: isPast ? .approve : tester.processor, in: storefront)
        self.asks = []
        switch (decision, sheet) {
        case (.fail, _), (_, .pay): break
        // A purchase that fails at the sheet does not wait for another one first.
        case (.sell, .fail(let error)), (.wait, .fail(let error)): self.decision = .fail(error)
        case (.sell, .ask(let kinds)): self.asks = kinds
        // The prompt is created once the terms are known.
        case (.wait, .ask): break
        }
        if self.decision == .wait { obstacle = context.obstacle }
    }
}

extension PurchasePolicy.Decision {
    /// Adds the tester's processor mode and storefront to the terms, which survive the process.
    fileprivate func charged(as mode: ProcessorMode?, in storefront: String?) -> PurchasePolicy.Decision {
        guard case .sell(var terms, let offerGroup) = self else { return self }
        (terms.simulate, terms.storefront) = (mode, storefront)
        return .sell(terms, offerGroup: offerGroup)
    }
}

extension PurchasePlan {
    /// Dates a planned purchase back.
    /// - Parameters:
    ///   - context: The facts the plan was made from.
    ///   - now: The app's clock.
    /// - Throws: `requestInvalid` for a product that is not a subscription, and for a price in another currency,
    ///   `transactionStateInvalid` for a customer who has subscribed in the group before, or `serviceUnavailable` while
    ///   another purchase of the product is in flight.
    func dated(
        back past: PastPurchase, _ context: PurchasePolicy.Context, now: Timestamp
    ) throws(StoreError) -> PurchasePlan {
        switch decision {
        case .fail: return self
        case .wait:
            throw StoreError(
                .serviceUnavailable, "another purchase of the product has to end first; ask again", retryAfterMs: 500)
        case .sell(let terms, let offerGroup):
            guard context.subscription == nil, context.groupHistory?.state == nil else {
                throw StoreError(
                    .transactionStateInvalid,
                    "the customer has subscribed in this group before, and only a first purchase is dated back")
            }
            var plan = self
            plan.decision = .sell(try terms.dated(back: past, now: now), offerGroup: offerGroup)
            return plan
        }
    }
}

/// A purchase about to be written for the first time.
struct NewPurchase: Sendable {
    /// The transaction's identifier.
    var id: String
    var payment: Payment
    /// The device that pays.
    var deviceId: String
    var quote: Quote
    /// The offer request that comes with the payment.
    var request: OfferRequest?
    /// The past instant and price, or nil for a purchase now.
    var past: PastPurchase?
    /// The request's fingerprint, or nil for a purchase without an idempotency key.
    var fingerprint: String?
    /// The interrupted transaction it replaces.
    var supersedes: String?

    /// Returns the transaction at its first revision.
    /// - Parameter terms: Nil before anything is agreed.
    func machine(_ terms: PurchaseTerms?) -> TransactionStateMachine {
        .purchasing(
            id: id, payment: payment, deviceId: deviceId, supersedes: supersedes, price: terms?.amount,
            offer: terms?.offer)
    }
}

/// Divides unfinished purchases among replicas on one database: a replica claims a row for a while.
///
/// Claims save work and are not needed for correctness. Two replicas that drive one purchase ask the processor about
/// one charge, and the database decides whose outcome is written.
struct PurchaseClaims: Sendable {
    /// This process's random name.
    let replica: String
    /// How long a new purchase belongs to the request that began it, in milliseconds.
    let headStart: Int64
    /// The duration of a claim in milliseconds. A replica renews it when half is over.
    ///
    /// Other replicas take over the purchases of a dead one after this time.
    let lease: Int64

    init(headStart: Duration = .seconds(1), lease: Duration = .seconds(4)) {
        var random = SystemRandomNumberGenerator()
        replica = String(random.next() as UInt64, radix: 36)
        self.headStart = headStart.milliseconds
        self.lease = lease.milliseconds
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

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
        /// The app's decision about the introductory offer. Nil for the store's own rule.
        var allowsIntroductoryOffer: Bool?
        /// The reason why the payment's code cannot be redeemed. Nil if it can, and without a code.
        var codeRefusal: TransactionError?
        /// Set for payments that redeem a win-back offer.
        var winBack: WinBackFacts?
        /// The customer's storefront.
        var storefront: String?

        /// Tells whether another purchase or renewal has to end before the terms are known.
        func mustWait(at now: Timestamp) -> Bool { isSlotTaken || subscription?.isBusy(at: now) == true }
    }

    /// Maximum number of a customer's waiting purchases. One more fails.
    ///
    /// It is their only limit, because they cost nothing yet, and each is planned again.
    static let waitingMax = 100

    enum Decision: Hashable, Sendable {
        /// Sell it on these terms. `offerGroup` names the group whose offer is used.
        case sell(PurchaseTerms, offerGroup: String?)
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
        // The quote may be of the storefront that the customer has left since.
        if payment.billingPlanType == .monthly, product.monthlyTerms == nil || isWithoutMonthly(context.storefront) {
            return .fail(noMonthlyPlan(in: context.storefront))
        }
        if let limit = quote.unfinishedLimit, context.unfinishedCount >= limit {
            return .fail(
                TransactionError(
                    .unknown, "Finish the \(context.unfinishedCount) transactions that wait before you buy again.",
                    reason: "unfinishedTransactions"
                ).dueTo("unfinishedLimit"))
        }
        let search = RequestedOfferPolicy.search(
            payment, request, product: product, redeemable: quote.redeemableOffers ?? [])
        if case .fail(let error) = search {
            return .fail(request?.code == nil ? error : RequestedOfferPolicy.codeIneligible)
        }
        if case .found = search, payment.billingPlanType == .monthly { return .fail(noOfferOfPlan) }
        if let refusal = context.codeRefusal { return .fail(refusal) }
        if context.isNonceUsed { return .fail(RequestedOfferPolicy.nonceUsed) }
        if context.mustWait(at: now) { return context.waitingCount < waitingMax ? .wait : .fail(tooManyWait) }
        if product.type == .nonConsumable, let since = context.ownedSince {
            return .sell(
                PurchaseTerms(owned: product, since: since, catalogVersion: quote.catalogVersion), offerGroup: nil)
        }
        let sale = Sale(
            product: product, quantity: payment.quantity, plan: payment.billingPlanType, quote: quote, context: context,
            now: now)
        guard case .found(let found) = search else { return sell(sale) }
        guard RequestedOfferPolicy.isEligible(found, context: context, now: now), !isDowngrade(sale, byCode: found),
            !breaksCommitment(sale)
        else {
            return .fail(request?.code == nil ? RequestedOfferPolicy.ineligible : RequestedOfferPolicy.codeIneligible)
        }
        return sell(sale, at: found)
    }

    /// Tells whether an offer code would lower the customer's level of service, which it does not (Apple's rule).
    private static func isDowngrade(_ sale: Sale, byCode found: RequestedOfferPolicy.Found) -> Bool {
        found.redeemable?.type == .code && change(sale, takesOffer: true) == .replace(.downgrade)
    }

    /// Tells whether an offer would end the customer's commitment early.
    private static func breaksCommitment(_ sale: Sale) -> Bool {
        wanted(sale, takesOffer: true).map {
            SubscriptionChangePolicy.breaksCommitment($0, sale.context.subscription, now: sale.now)
        } ?? false
    }

    /// Returns the failure of a payment by the month for a product that is not sold so.
    static func noMonthlyPlan(in storefront: String?) -> TransactionError {
        TransactionError(
            .storeProductNotAvailable,
            isWithoutMonthly(storefront)
                ? "No subscription is sold in monthly payments in the storefront \(storefront ?? "")."
                : "The product is not sold in monthly payments.",
            reason: TransactionError.billingPlanUnavailable)
    }

    /// Tells whether no subscription is sold in monthly payments in a storefront.
    static func isWithoutMonthly(_ storefront: String?) -> Bool {
        storefront.map(BillingPlan.storefrontsWithoutMonthly.contains) ?? false
    }

    private static let noOfferOfPlan = TransactionError(
        .invalidOfferIdentifier, "The billing plan MONTHLY has no offers.")
    private static let notForSale = TransactionError(
        .storeProductNotAvailable, "The product is not for sale in this storefront.")
    private static let onlyOne = TransactionError(
        .paymentInvalid, "A quantity is for consumables and non-renewing subscriptions; this product is bought once.",
        reason: "invalidQuantity")
    private static let tooManyWait = TransactionError(
        .unknown, "\(waitingMax) purchases wait for others to end; let those end before you buy again.",
        reason: "unfinishedTransactions")

    /// A product on sale, and the customer's context.
    private struct Sale {
        let product: Product
        let quantity: Int
        /// Nil for a payment of the whole period.
        let plan: BillingPlan?
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
        case .alreadySubscribed: return .fail(.alreadySubscribed)
        }
    }

    private static func change(_ sale: Sale, takesOffer: Bool) -> SubscriptionChangePolicy.Outcome {
        guard let wanted = wanted(sale, takesOffer: takesOffer) else { return .begin }
        return SubscriptionChangePolicy.decide(wanted, sale.context.subscription, now: sale.now)
    }

    /// Returns what is wanted in the product's group. Nil for a product that is not a subscription.
    private static func wanted(_ sale: Sale, takesOffer: Bool) -> SubscriptionChangePolicy.Wanted? {
        guard sale.product.type == .autoRenewable, let length = sale.product.subscriptionPeriod else { return nil }
        return .init(
            product: sale.product.productIdentifier, level: sale.quote.subscriptionLevel ?? 1, length: length,
            plan: sale.plan, takesOffer: takesOffer)
    }

    private static func note(
        _ change: PurchaseTerms.Change, _ sale: Sale, effectiveDate: Timestamp
    ) -> Decision {
        .sell(
            PurchaseTerms(
                noting: change, to: sale.product, plan: sale.plan, level: sale.quote.subscriptionLevel,
                catalogVersion: sale.quote.catalogVersion, effectiveDate: effectiveDate, rate: sale.context.rate
            ).filed(under: sale.context.subscription),
            offerGroup: nil)
    }

    private static func sell(
        _ sale: Sale, _ found: RequestedOfferPolicy.Found?, change: PurchaseTerms.Change?
    ) -> Decision {
        let introductory = found == nil ? introductoryOffer(of: sale) : nil
        let terms = PurchaseTerms(
            product: sale.product, level: sale.quote.subscriptionLevel, quantity: sale.quantity,
            catalogVersion: sale.quote.catalogVersion, offer: found?.discount ?? introductory, applied: found?.applied,
            plan: sale.plan, rate: sale.context.rate)
        guard var terms = terms?.filed(under: sale.context.subscription) else {
            return .fail(TransactionError(.paymentInvalid, "The price is too large."))
        }
        terms.change = change
        // A customer who has used the group's offer, and gets one by the app's decision, claims nothing more.
        let claims = introductory != nil && isEligible(sale)
        return .sell(terms, offerGroup: claims ? sale.product.subscriptionGroupIdentifier : nil)
    }

    /// Finds the introductory offer. A customer who is not eligible pays the regular price, also if the client has
    /// shown another (M134).
    private static func introductoryOffer(of sale: Sale) -> ProductDiscount? {
        // The offers that are sold are of payment up front.
        guard sale.context.givesIntroductoryOffer, sale.product.type == .autoRenewable, sale.plan != .monthly,
            sale.product.subscriptionGroupIdentifier != nil, let offer = sale.product.introductoryPrice
        else { return nil }
        return sale.context.allowsIntroductoryOffer ?? isEligible(sale) ? offer : nil
    }

    /// Whether the store's own rule gives the introductory offer.
    private static func isEligible(_ sale: Sale) -> Bool {
        IntroductoryOfferPolicy.decide(history: sale.context.groupHistory, now: sale.now).eligibility == .eligible
    }
}

/// A charge that was authorized or declined before the purchase's first commit (ADR 0047).
///
/// The customer pays nothing yet. The commit decides whether the charge is captured. Otherwise it is voided, or lapses.
struct PurchaseAuthorization: Hashable, Sendable {
    /// The `id` of the transaction that the charge is for.
    let id: String
    let amount: Money
    /// Approved, or failed with the processor's reason.
    let reply: ChargeReply

    /// The charge's key, as of a purchase that is charged after its first commit.
    var chargeKey: String { StoredTransaction.chargeKey(of: id) }

    /// - Returns: Nil for a charge about which the processor has not decided, or with another amount.
    init?(id: String, amount: Money, _ charge: Charge) {
        switch charge.outcome {
        case .authorized, .approved:
            guard charge.amount == amount else { return nil }
            reply = .approved
        case .declined: reply = ChargeReply(charge, expected: amount)
        case .pending, .cancelled: return nil
        }
        self.id = id
        self.amount = amount
    }

    /// Tells whether it is the charge for a sale.
    ///
    /// The terms come from rows that were read after the authorization. So the price may be another, or a tester's
    /// settings may let the processor decline.
    func isFor(_ terms: PurchaseTerms) -> Bool { terms.amount == amount && terms.simulate == nil }

    /// Returns the likely amount of a purchase, which is authorized before its commit.
    /// - Parameter hasSubscribed: Whether the customer is known to have subscribed in the product's group.
    /// - Returns: Zero for a purchase that is free, or nil for one that fails, asks a parent or is dated back.
    static func amount(of request: AddPaymentRequest, _ quote: Quote, hasSubscribed: Bool) -> Money? {
        let payment = request.payment
        guard quote.availability == .available, let product = quote.product,
            payment.quantity == 1 || product.type.isSoldInQuantity, !payment.simulatesAskToBuyInSandbox,
            request.past == nil
        else { return nil }
        let search = RequestedOfferPolicy.search(
            payment, OfferRequest(request),
            product: product, redeemable: quote.redeemableOffers ?? [])
        let price: Money
        switch search {
        case .fail: return nil
        case .found(let found): price = found.discount.price
        case .none:
            let plan = payment.billingPlanType ?? .upFront
            guard let regular = product.price(under: plan) else { return nil }
            let isIntroductory = plan == .upFront && request.introductoryDecision?.isAllowed ?? !hasSubscribed
            price = (isIntroductory ? product.introductoryPrice?.price : nil) ?? regular
        }
        return price.times(payment.quantity)
    }
}

extension PurchasePlan {
    /// Whether the shopper is charged without a prompt or simulated fault.
    var isPlain: Bool {
        guard case .sell(let terms, _) = decision else { return false }
        return asks.isEmpty && terms.simulate == nil
    }
}
