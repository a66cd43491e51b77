import StoreModels

/// What was agreed when the purchase began: what is sold, for how much and for how long. Stored with the transaction,
/// so that a later catalogue changes nothing about a purchase in flight (P6).
///
/// ```json
/// {"productType":"autoRenewable","amount":{"amount":"1.99","currency":"USD"},"catalogVersion":3,
///  "subscription":{"group":"21378123","level":1,"accessPeriod":{"numberOfUnits":1,"unit":"month"}}}
/// ```
struct PurchaseTerms: Hashable, Sendable, Codable {
    /// The subscription's part of the terms.
    struct Subscription: Hashable, Sendable, Codable {
        var group: String
        /// The group the customer's subscription began in and is kept by, when it was another one.
        var filedUnder: String?
        /// 1 is the highest service.
        var level: Int
        /// The product's own period.
        var length: SubscriptionPeriod
        /// The product's own price; nil in terms of earlier versions.
        var price: Money?
        /// How long this payment gives access: one billing period, or the whole offer where it is paid or given at
        /// once.
        var accessPeriod: SubscriptionPeriod
        /// Of an offer paid as you go: the periods that come after this one at its price.
        var offerPeriodsLeft: Int
        /// How the tester's rate compresses periods.
        var rate: SubscriptionRenewalRate

        /// By which the subscription's row is found.
        var key: String { filedUnder ?? group }
    }

    /// What the purchase does to the subscription the customer has in the group.
    enum Change: String, Hashable, Sendable, Codable {
        /// At once, in the place of the present period, whose unused part is given back. `downgrade` only where there
        /// is no next renewal to wait for, or for an offer.
        case upgrade, crossgrade, downgrade
        /// With the next renewal; nothing is paid now and nothing is given.
        case scheduled
        /// The scheduled change is taken back.
        case reverted

        /// The purchase is a word about a later renewal, and no period of its own.
        var isNote: Bool { self == .scheduled || self == .reverted }
    }

    /// The hosted content that comes with the product, as the catalogue had it when it was sold.
    struct Content: Hashable, Sendable, Codable {
        /// Dotted integers, `1.0`.
        var version: String
        /// Bytes.
        var length: Int64
    }

    var productType: ProductType
    /// What is charged, quantity and offer included; zero needs no charge.
    var amount: Money
    var catalogVersion: Int64
    var subscription: Subscription?
    var offer: AppliedOffer?
    /// The identifier under which the customer owns the product already; then it is given again for nothing.
    var ownedSince: String?
    var content: Content?
    /// How the processor is asked to treat the charge; nil is as it treats everybody's.
    var simulate: ProcessorMode?
    /// Where the shopper was when they agreed to the terms; nil in those of earlier versions.
    var storefront: String?
    /// Nil where there was no active subscription in the group.
    var change: Change?
    /// Of a change for the next renewal: when that is, and of one that is taken back: when that was.
    var effectiveDate: Timestamp?

    /// The terms of a sale at the product's price or an offer's.
    /// - Parameters:
    ///   - applied: the offer as the transaction names it; nil names an introductory or promotional one by itself.
    ///   - rate: how the tester's rate compresses periods.
    /// - Returns: Nil when the price times the quantity does not fit 64 bits.
    init?(
        product: Product, level: Int?, quantity: Int, catalogVersion: Int64, offer: ProductDiscount?,
        applied: AppliedOffer? = nil, rate: SubscriptionRenewalRate = .realTime
    ) {
        guard let amount = (offer?.price ?? product.price).times(quantity) else { return nil }
        self.productType = product.type
        self.amount = amount
        self.catalogVersion = catalogVersion
        self.content = Content(product)
        self.offer =
            applied
            ?? offer.map {
                AppliedOffer(
                    type: $0.type == .introductory ? .introductory : .subscription, paymentMode: $0.paymentMode,
                    identifier: $0.identifier)
            }
        if product.type == .autoRenewable, let group = product.subscriptionGroupIdentifier,
            let period = product.subscriptionPeriod
        {
            self.subscription = Subscription(
                group: group, level: level ?? 1, length: period, price: product.price,
                accessPeriod: offer.map(Self.accessPeriod) ?? period,
                offerPeriodsLeft: offer?.paymentMode == .payAsYouGo ? (offer?.numberOfPeriods ?? 1) - 1 : 0, rate: rate)
        }
    }

    /// An owned non-consumable, given again.
    init(owned product: Product, since transactionIdentifier: String, catalogVersion: Int64) {
        self.productType = product.type
        self.amount = Money(minorUnits: 0, currency: product.price.currency)
        self.catalogVersion = catalogVersion
        self.ownedSince = transactionIdentifier
        self.content = Content(product)
    }

    /// A change of product that is only noted: free, and without a period.
    init(
        noting change: Change, to product: Product, level: Int?, catalogVersion: Int64, effectiveDate: Timestamp,
        rate: SubscriptionRenewalRate
    ) {
        self.productType = product.type
        self.amount = Money(minorUnits: 0, currency: product.price.currency)
        self.catalogVersion = catalogVersion
        self.change = change
        self.effectiveDate = effectiveDate
        if let group = product.subscriptionGroupIdentifier, let period = product.subscriptionPeriod {
            self.subscription = Subscription(
                group: group, level: level ?? 1, length: period, accessPeriod: period, offerPeriodsLeft: 0, rate: rate)
        }
    }

    /// Pay as you go is billed period by period (M114); paid up front (M115) and free (M116) last as a whole.
    private static func accessPeriod(of offer: ProductDiscount) -> SubscriptionPeriod {
        switch offer.paymentMode {
        case .payAsYouGo: offer.subscriptionPeriod
        case .payUpFront, .freeTrial: offer.subscriptionPeriod.times(offer.numberOfPeriods)
        }
    }

    /// The same terms, for a customer who has a subscription that this goes on with or changes.
    func filed(under subscription: StoredSubscription?) -> PurchaseTerms {
        guard let group = self.subscription?.group, let key = subscription?.group,
            !key.isExactly(group)
        else { return self }
        var terms = self
        terms.subscription?.filedUnder = key
        return terms
    }

    /// Nothing is asked of the processor.
    var isFree: Bool { amount.minorUnits == 0 }

    /// The flags of M118: a trial is no "intro offer period", the two paid modes are; other products have no flags.
    var flags: (isTrialPeriod: Bool?, isInIntroOfferPeriod: Bool?) {
        guard subscription != nil, change?.isNote != true else { return (nil, nil) }
        guard let offer, offer.type == .introductory else { return (false, false) }
        return (offer.paymentMode == .freeTrial, offer.paymentMode != .freeTrial)
    }

    /// What the purchased transaction says, once it is paid.
    func purchase(
        transactionIdentifier: String, at now: Timestamp, original: PaymentTransaction?
    ) -> TransactionStateMachine.Purchase {
        TransactionStateMachine.Purchase(
            transactionIdentifier: transactionIdentifier, transactionDate: now, price: amount, original: original,
            originalTransactionIdentifier: ownedSince, expiresDate: expiresDate(from: now),
            isTrialPeriod: flags.isTrialPeriod, isInIntroOfferPeriod: flags.isInIntroOfferPeriod,
            effectiveDate: change == .reverted ? now : effectiveDate, subscriptionGroupIdentifier: subscription?.group,
            content: content)
    }
}

extension PurchaseTerms {
    private func expiresDate(from now: Timestamp) -> Timestamp? {
        guard let subscription, change?.isNote != true else { return nil }
        return RenewalSchedule(subscription.rate).end(of: subscription.accessPeriod, from: now)
    }
}

extension ProductType {
    /// StoreKit sells several at once only of what can be bought again and again.
    var isSoldInQuantity: Bool {
        switch self {
        case .consumable, .nonRenewable: true
        case .nonConsumable, .autoRenewable: false
        }
    }

    /// A second purchase of such a product waits until the first has ended, so that no customer pays twice for what they own
    /// (P8).
    var isSoldOneAtATime: Bool {
        switch self {
        case .nonConsumable, .autoRenewable: true
        case .consumable, .nonRenewable: false
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
