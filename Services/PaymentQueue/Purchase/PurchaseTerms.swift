import StoreModels

/// The terms agreed when the purchase began: product, price and period.
///
/// They are stored with the transaction, so that a later catalogue does not change a purchase in flight (P6).
///
/// ```json
/// {"productType":"autoRenewable","amount":{"amount":"1.99","currency":"USD"},"catalogVersion":3,
///  "subscription":{"group":"21378123","level":1,"accessPeriod":{"numberOfUnits":1,"unit":"month"}}}
/// ```
struct PurchaseTerms: Hashable, Sendable, Codable {
    /// The subscription's part of the terms.
    struct Subscription: Hashable, Sendable, Codable {
        /// The product's group at the time of the terms.
        var group: String
        /// The group the customer's subscription began in and is stored under. Nil when it is `group`.
        var filedUnder: String?
        /// The service level. 1 is the highest.
        var level: Int
        /// The product's own period, or a month under the plan of monthly payments.
        var length: SubscriptionPeriod
        /// The product's own price, of a month under that plan, or nil for a change that is only noted.
        var price: Money?
        /// How long this payment gives access.
        ///
        /// One billing period, or the whole offer if it is paid up front or free.
        var accessPeriod: SubscriptionPeriod
        /// The number of later periods at the price of a pay-as-you-go offer.
        var offerPeriodsLeft: Int
        /// Nil for a product that is sold for each period up front alone.
        var billingPlan: BillingPlan?
        /// The tester's rate, which compresses periods.
        var rate: SubscriptionRenewalRate

        /// The group by which the subscription's row is found.
        var key: String { filedUnder ?? group }
    }

    /// The effect of the purchase on the customer's subscription in the group.
    enum Change: String, Hashable, Sendable, Codable {
        /// Replaces the present period immediately, and its unused part is refunded.
        ///
        /// A `downgrade` does so only with an offer, or when the subscription does not renew again.
        case upgrade, crossgrade, downgrade
        /// Changes the product with the next renewal. Nothing is paid or given now.
        case scheduled
        /// Takes the scheduled change back.
        case reverted

        /// Whether the purchase only changes a later renewal and pays no period.
        var isNote: Bool { self == .scheduled || self == .reverted }
    }

    /// The past instant and price of a purchase that is dated back.
    struct Past: Hashable, Sendable, Codable {
        /// When it was bought, business time.
        var start: Timestamp
        /// Whether the customer has left renewal on.
        var willAutoRenew: Bool
    }

    /// How a purchase has come to a member of the buyer's family.
    struct Shared: Hashable, Sendable, Codable {
        /// Whether the buyer's subscription was renewed with it.
        var isRenewal: Bool
    }

    /// The product's hosted content, as the catalogue had it at the sale.
    struct Content: Hashable, Sendable, Codable {
        /// Dotted integers, such as `1.0`.
        var version: String
        /// Size in bytes.
        var length: Int64
    }

    var productType: ProductType
    /// The charged amount, quantity and offer included. Zero needs no charge.
    var amount: Money
    /// The version of the catalogue that was quoted.
    var catalogVersion: Int64
    /// Nil for a product that is not a subscription.
    var subscription: Subscription?
    /// Nil at the regular price.
    var offer: AppliedOffer?
    /// The identifier under which the customer owns the product already. If set, the product is given again for
    /// nothing.
    var ownedSince: String?
    /// Nil for a product without hosted content.
    var content: Content?
    /// The processor mode a test has asked for. Nil for the processor's usual one.
    var simulate: ProcessorMode?
    /// The storefront in which the shopper has agreed to the terms. Nil for a renewal.
    var storefront: String?
    /// Nil if the group had no active subscription.
    var change: Change?
    /// When the scheduled change takes effect, or would have, for a reverted one.
    var effectiveDate: Timestamp?
    /// Nil for a purchase now.
    var past: Past?
    /// Whether the purchase is shared with the buyer's family. Nil for a product that is not.
    var isFamilyShareable: Bool?
    /// Nil for the customer's own purchase.
    var shared: Shared?

    /// Makes the terms of a sale at the product's price or an offer's.
    /// - Parameters:
    ///   - applied: The offer as the transaction names it. Nil derives an introductory or promotional one from `offer`.
    ///   - plan: Nil for a payment of the whole period.
    ///   - agreed: The price of a month that a commitment has fixed. Nil for the product's price.
    ///   - rate: The tester's rate, which compresses periods.
    /// - Returns: The terms, or nil when the price times the quantity does not fit 64 bits, or the product has no such
    ///   plan.
    init?(
        product: Product, level: Int?, quantity: Int, catalogVersion: Int64, offer: ProductDiscount?,
        applied: AppliedOffer? = nil, plan: BillingPlan? = nil, agreed: Money? = nil,
        rate: SubscriptionRenewalRate = .realTime
    ) {
        guard let price = agreed ?? product.price(under: plan ?? .upFront),
            let amount = (offer?.price ?? price).times(quantity)
        else { return nil }
        self.productType = product.type
        self.amount = amount
        self.catalogVersion = catalogVersion
        self.content = Content(product)
        self.isFamilyShareable = product.isFamilyShared
        self.offer =
            applied
            ?? offer.map {
                AppliedOffer(
                    type: $0.type == .introductory ? .introductory : .subscription, paymentMode: $0.paymentMode,
                    identifier: $0.identifier, period: $0.subscriptionPeriod.times($0.numberOfPeriods))
            }
        if product.type == .autoRenewable, let group = product.subscriptionGroupIdentifier,
            let period = product.subscriptionPeriod
        {
            let length = plan == .monthly ? BillingPlan.monthlyPeriod : period
            self.subscription = Subscription(
                group: group, level: level ?? 1, length: length, price: price,
                accessPeriod: offer.map(Self.accessPeriod) ?? length,
                offerPeriodsLeft: offer?.paymentMode == .payAsYouGo ? (offer?.numberOfPeriods ?? 1) - 1 : 0,
                billingPlan: product.plan(plan), rate: rate)
        }
    }

    /// Makes the terms of an owned non-consumable that is given again.
    init(owned product: Product, since transactionIdentifier: String, catalogVersion: Int64) {
        self.productType = product.type
        self.amount = Money(minorUnits: 0, currency: product.price.currency)
        self.catalogVersion = catalogVersion
        self.ownedSince = transactionIdentifier
        self.content = Content(product)
    }

    /// Makes the terms of a change of product that is only noted: free, and without a period.
    init(
        noting change: Change, to product: Product, plan: BillingPlan? = nil, level: Int?, catalogVersion: Int64,
        effectiveDate: Timestamp, rate: SubscriptionRenewalRate
    ) {
        self.productType = product.type
        self.amount = Money(minorUnits: 0, currency: product.price.currency)
        self.catalogVersion = catalogVersion
        self.change = change
        self.effectiveDate = effectiveDate
        if let group = product.subscriptionGroupIdentifier, let period = product.subscriptionPeriod {
            self.subscription = Subscription(
                group: group, level: level ?? 1, length: period, accessPeriod: period, offerPeriodsLeft: 0,
                billingPlan: product.plan(plan), rate: rate)
        }
    }

    /// Returns the access one payment gives: a period when paid as you go (M114), the whole offer when paid up front
    /// (M115) or free (M116).
    private static func accessPeriod(of offer: ProductDiscount) -> SubscriptionPeriod {
        switch offer.paymentMode {
        case .payAsYouGo: offer.subscriptionPeriod
        case .payUpFront, .freeTrial: offer.subscriptionPeriod.times(offer.numberOfPeriods)
        }
    }

    /// Returns the terms for a customer whose subscription this continues or changes.
    func filed(under subscription: StoredSubscription?) -> PurchaseTerms {
        guard let group = self.subscription?.group, let key = subscription?.group,
            !key.isExactly(group)
        else { return self }
        var terms = self
        terms.subscription?.filedUnder = key
        return terms
    }

    /// Returns the terms of the same purchase in the past.
    /// - Parameter now: The app's clock.
    /// - Throws: `requestInvalid` for a product that is not a subscription, and for a price in another currency.
    func dated(back past: PastPurchase, now: Timestamp) throws(StoreError) -> PurchaseTerms {
        guard let subscription, change == nil else {
            throw StoreError.requestInvalid("past", "only a subscription is dated back")
        }
        var terms = self
        if let price = past.price {
            guard price.currency == amount.currency, price.minorUnits > 0 else {
                throw StoreError.requestInvalid(
                    "past.price", "the former price must be more than nothing, in \(amount.currency.code)")
            }
            terms.amount = price
            terms.subscription?.price = price
        }
        let start = RenewalSchedule(subscription.rate).start(of: subscription.length, past.due, at: past.at)
        guard start >= AppClock.earliest else {
            throw StoreError.requestInvalid("past.at", "the purchase would be before 1970")
        }
        terms.past = Past(start: min(start, now), willAutoRenew: past.willAutoRenew ?? true)
        return terms
    }

    /// Whether the purchase costs nothing.
    var isFree: Bool { amount.minorUnits == 0 }

    /// The receipt flags of M118. Both paid modes are an "intro offer period", and a trial is not. Nil for other
    /// products.
    var flags: (isTrialPeriod: Bool?, isInIntroOfferPeriod: Bool?) {
        guard subscription != nil, change?.isNote != true else { return (nil, nil) }
        guard let offer, offer.type == .introductory else { return (false, false) }
        return (offer.paymentMode == .freeTrial, offer.paymentMode != .freeTrial)
    }

    /// Returns the contents of the purchased transaction.
    func purchase(
        transactionIdentifier: String, at now: Timestamp, original: PaymentTransaction?
    ) -> TransactionStateMachine.Purchase {
        TransactionStateMachine.Purchase(
            transactionIdentifier: transactionIdentifier, transactionDate: now, price: amount, original: original,
            originalTransactionIdentifier: ownedSince, expiresDate: expiresDate(from: now),
            isTrialPeriod: flags.isTrialPeriod, isInIntroOfferPeriod: flags.isInIntroOfferPeriod,
            effectiveDate: change == .reverted ? now : effectiveDate, subscriptionGroupIdentifier: subscription?.group,
            content: content, commitment: commitment(from: now))
    }
}

extension PurchaseTerms {
    private func expiresDate(from now: Timestamp) -> Timestamp? {
        guard let subscription, change?.isNote != true else { return nil }
        return RenewalSchedule(subscription.rate).end(of: subscription.accessPeriod, from: now)
    }

    /// Returns the first payment of a commitment. Nil for any other purchase.
    private func commitment(from start: Timestamp) -> Commitment? {
        let count = BillingPlan.paymentsPerCommitment
        guard let subscription, subscription.billingPlan == .monthly, change?.isNote != true,
            let price = subscription.price?.times(count)
        else { return nil }
        return Commitment(
            billingPeriodNumber: 1, totalBillingPeriods: count, price: price,
            expiresDate: RenewalSchedule(subscription.rate).end(
                ofCommitmentWith: count, RenewalSchedule.Anchor(at: start, count: 0)))
    }
}

extension ProductType {
    /// Whether a quantity is sold: StoreKit allows it for products that can be bought repeatedly.
    var isSoldInQuantity: Bool {
        switch self {
        case .consumable, .nonRenewable: true
        case .nonConsumable, .autoRenewable: false
        }
    }

    /// Whether a second purchase waits for the first, so that customers never pay twice (P8).
    var isSoldOneAtATime: Bool {
        switch self {
        case .nonConsumable, .autoRenewable: true
        case .consumable, .nonRenewable: false
        }
    }
}

extension Product {
    /// Returns the plan of a payment. Nil for a product that has one plan.
    fileprivate func plan(_ wanted: BillingPlan?) -> BillingPlan? {
        wanted == .monthly ? .monthly : pricingTerms == nil ? nil : .upFront
    }

    /// Whether what is bought of it is shared. Nil when not, also for a product that is used up or has no end that the
    /// store knows.
    fileprivate var isFamilyShared: Bool? {
        switch type {
        case .nonConsumable, .autoRenewable: isFamilyShareable ? true : nil
        case .consumable, .nonRenewable: nil
        }
    }
}

extension PurchaseTerms.Content {
    /// - Returns: Nil for a product without content.
    fileprivate init?(_ product: Product) {
        guard product.isDownloadable, let length = product.downloadContentLengths.first else { return nil }
        self.init(version: product.downloadContentVersion, length: length)
    }
}
