import StoreModels

/// Decides about a subscription that has something due, without I/O.
enum RenewalPolicy {
    /// The facts for the decision besides the subscription.
    struct Context: Hashable, Sendable {
        /// The quote of the product the next renewal buys, in the customer's storefront.
        var quote: Quote
        /// The account's settings over the app's defaults.
        var tester: TesterSettings
        /// The charge of the present period. Nil for one sold before periods were stored.
        var lastAmount: Money?
        /// The customer's storefront.
        var storefront: String?
    }

    enum Step: Hashable, Sendable {
        /// A change that needs no charge.
        case change(SubscriptionTransition)
        /// A charge, or a period that costs nothing.
        case renew(RenewalAttempt)
    }

    /// Returns the change that does not depend on a quote.
    /// - Parameters:
    ///   - tester: The account's settings. Nil when no operator has set any.
    ///   - at: The instant that has fallen due.
    static func withoutQuote(
        _ value: StoredSubscription, _ tester: TesterSettings?, at: Timestamp
    ) -> SubscriptionTransition? {
        switch value.state {
        case .subscribed:
            if !value.willAutoRenew { return .expired(.cancelled) }
            return value.hasRenewedEnough && tester?.unlimitedRenewals != true ? .expired(.other) : nil
        case .inGracePeriod:
            let isOver = value.retry.graceUntil.map { at >= $0 } ?? true
            guard isOver else { return nil }
            return value.willAutoRenew ? .graceEnded : .expired(.cancelled)
        case .inBillingRetryPeriod: return value.willAutoRenew ? nil : .expired(.cancelled)
        case .expired, .revoked: return nil
        }
    }

    /// Decides the next step.
    /// - Parameter at: The instant that has fallen due, or the operator's now.
    static func step(_ value: StoredSubscription, _ context: Context, at: Timestamp) -> Step {
        if let change = withoutQuote(value, context.tester, at: at) { return .change(change) }
        if !isAgreed(value, context) { return .change(.expired(.priceIncreaseRefused)) }
        return renewal(value, context, at: at).map(Step.renew) ?? .change(.expired(.productNotAvailable))
    }

    /// Returns whether the subscriber has agreed to the next period's price, if that needs consent.
    ///
    /// An offer that continues costs the price agreed with it.
    static func isAgreed(_ value: StoredSubscription, _ context: Context) -> Bool {
        value.isCommitted || offer(of: value) != nil
            || PriceConsentPolicy.renewal(of: value, context.quote, context.tester.priceConsent ?? .agree) != .refuse
    }

    /// Makes the charge of the next period.
    ///
    /// A payment of a commitment has the price agreed with it, also when the catalogue has dropped the plan.
    /// - Returns: Nil for a product that is not for sale any more, or not under the plan of a new commitment.
    static func renewal(_ value: StoredSubscription, _ context: Context, at: Timestamp) -> RenewalAttempt? {
        guard context.quote.availability == .available, let product = context.quote.product,
            let agreed = PurchaseTerms(
                product: product, level: context.quote.subscriptionLevel, quantity: 1,
                catalogVersion: context.quote.catalogVersion, offer: nil, plan: value.plan?.next,
                agreed: value.isCommitted ? value.agreedPrice : nil, rate: value.rate),
            agreed.subscription != nil
        else { return nil }
        var terms = agreed.filed(under: value)
        let offer = offer(of: value)
        if let offer { (terms.amount, terms.offer) = (offer.amount, offer.applied) }
        var asks: PriceIncrease?
        if offer == nil,
            case .askFirst(let increase) = PriceConsentPolicy.renewal(
                of: value, context.quote, context.tester.priceConsent ?? .agree)
        {
            terms.amount = increase.formerPrice
            if terms.subscription?.billingPlan == .monthly {
                // The price of a commitment is fixed, so the next one asks.
                terms.subscription?.price = increase.formerPrice
            } else {
                asks = increase
            }
        }
        let isDeclined = value.failsNext || context.tester.failRenewals == true
        terms.simulate = isDeclined ? .decline : context.tester.processor
        terms.storefront = context.storefront
        let isPriceComparable =
            offer == nil && value.offer == nil && value.renewProduct == value.product
            && value.plan?.next == value.plan?.present
        let isMonthly = terms.subscription?.billingPlan == .monthly
        let former = isPriceComparable ? context.lastAmount : nil
        return RenewalAttempt(
            chargeKey: RenewalAttempt.chargeKey(of: value), period: value.period.index + 1, product: value.renewProduct,
            terms: terms, offerLeft: max(0, (offer?.periodsLeft ?? 0) - 1), at: at,
            hasGrace: !isMonthly
                && (context.tester.billingGracePeriod ?? context.quote.billingGracePeriod ?? false),
            formerPrice: former == terms.amount ? nil : former,
            asks: asks)
    }

    /// Returns the pay-as-you-go offer that continues, unless its periods are over or the product or plan changes.
    static func offer(of value: StoredSubscription) -> StoredSubscription.RunningOffer? {
        guard let offer = value.offer, offer.periodsLeft > 0, value.renewProduct == value.product,
            value.plan?.next == value.plan?.present
        else { return nil }
        return offer
    }
}

/// Decides when a declined renewal is tried again.
///
/// Apple tries for up to 60 days, or 90 within a commitment, and does not say when, so the days are our choice. Under a
/// tester's rate they shrink in proportion.
struct BillingRetryPolicy: Hashable, Sendable {
    /// Days after the failure on which the processor is asked again. The last one is the end.
    static let days: [Int64] = [1, 2, 3, 5, 8, 13, 21, 34, 45, 60]
    /// The same days of a payment under the plan of monthly payments.
    static let committedDays: [Int64] = days + [75, 90]

    /// When the charge was first declined.
    let since: Timestamp
    /// How long it is retried, in milliseconds.
    let length: Int64
    /// The days on which it is retried.
    var days = Self.days

    /// When the subscription expires, unless it has been charged.
    var end: Timestamp { Timestamp(milliseconds: since.milliseconds + length) }

    /// Returns the first retry at or after an instant.
    /// - Returns: The retry, or nil after the last one.
    func next(notBefore instant: Timestamp) -> Timestamp? {
        days.lazy.map { day in
            Timestamp(milliseconds: since.milliseconds + length * day / (days.last ?? day))
        }.first { $0 >= instant }
    }

    /// Returns the first retry after an instant.
    /// - Returns: The retry, or nil after the last one.
    func next(after instant: Timestamp) -> Timestamp? {
        next(notBefore: Timestamp(milliseconds: instant.milliseconds + 1))
    }
}

/// Decides the effect of a price increase since the subscriber's consent, without I/O.
///
/// A lower price, another currency and a product or plan the subscriber has chosen themselves need no consent. Within a
/// commitment the price stays.
enum PriceConsentPolicy {
    /// The charge that the next renewal may make.
    enum Renewal: Hashable, Sendable {
        /// Charge the product's price.
        case charge
        /// Charge the agreed price once more and ask: the subscriber was not asked in time.
        case askFirst(PriceIncrease)
        /// Charge nothing, because the subscriber has not agreed.
        case refuse
    }

    /// Returns the change to make before the renewal is due.
    /// - Returns: The change, or nil when the subscription needs none.
    static func change(
        of value: StoredSubscription, _ quote: Quote, _ consent: TesterSettings.PriceConsent
    ) -> SubscriptionTransition? {
        let higher = raised(value, quote)
        // An operator's request stays, until a real increase needs its own consent.
        if value.priceIncrease?.isRequested == true, higher == nil || consent == .agree { return nil }
        guard let raised = higher, consent != .agree else {
            return value.priceIncrease == nil ? nil : .priceRaised(nil)
        }
        var wanted = raised
        wanted.status = consent == .decline ? .declined : .pending
        if let known = value.priceIncrease, known.price == raised.price,
            consent == .interactive || known.status == .declined
        {
            return nil
        }
        return .priceRaised(wanted)
    }

    /// Decides which price the renewal charges when it is due.
    static func renewal(
        of value: StoredSubscription, _ quote: Quote, _ consent: TesterSettings.PriceConsent
    ) -> Renewal {
        if let known = value.priceIncrease, known.isRequested, known.status != .agreed { return .refuse }
        guard let raised = raised(value, quote) else { return .charge }
        switch consent {
        case .agree: return .charge
        case .decline: return .refuse
        case .interactive:
            guard let known = value.priceIncrease, known.price == raised.price else { return .askFirst(raised) }
            return known.status == .agreed ? .charge : .refuse
        }
    }

    /// Returns the price increase that needs the subscriber's consent, if any.
    private static func raised(_ value: StoredSubscription, _ quote: Quote) -> PriceIncrease? {
        guard !value.isCommitted, value.plan?.next == value.plan?.present, quote.availability == .available,
            let price = quote.product?.price(under: value.presentPlan), let agreed = value.agreedPrice,
            value.renewProduct.isExactly(value.product), price.currency == agreed.currency,
            price.minorUnits > agreed.minorUnits
        else { return nil }
        return PriceIncrease(status: .pending, price: price, formerPrice: agreed)
    }
}

extension PriceIncrease {
    /// Whether an operator has asked for the consent, without a higher price.
    var isRequested: Bool { price == formerPrice }
}
