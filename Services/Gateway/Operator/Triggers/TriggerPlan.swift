import StoreModels

/// A plan that causes the event of a notification: operations of the store in order, without I/O.
struct TriggerPlan: Hashable, Sendable {
    /// An operation on the purchases of the steps before it, or on ``subject``.
    enum Step: Hashable, Sendable {
        /// Sets how the store treats the account.
        case set(TesterSettings)
        /// Buys now, perhaps with an offer.
        case buy(String, RedeemedOffer? = nil)
        /// Buys a subscription dated back, and waits for the events that have fallen due since.
        case buyBefore(String, PastPurchase)
        /// Chooses the product of the next renewal.
        case choose(String)
        case operate(OperateSubscriptionRequest.Operation, days: Int? = nil, Subscription.ExpirationReason? = nil)
        case refund, reverseRefund, revoke, requestRefund, declineRefund
        /// Extends all subscriptions of the product as a server does, limited to this one.
        case extendAll
    }

    /// A purchase that steps are about.
    struct Subject: Hashable, Sendable {
        /// The transaction's `id`.
        var id: String
        var productIdentifier: String
        /// Nil for a purchase outside subscriptions.
        var originalTransactionIdentifier: String?
    }

    /// The subject from the beginning. Nil when a step buys it.
    var subject: Subject?
    /// Makes the object that the event happens to.
    var preparation: [Step]
    /// Brings the event about.
    var cause: [Step]

    init(_ preparation: [Step] = [], about subject: Subject? = nil, cause: [Step]) {
        (self.preparation, self.subject, self.cause) = (preparation, subject, cause)
    }

    /// The days of an extension.
    static let days = 7

    /// The settings under which an account follows the steps, with any defaults of the app.
    static let settings = with(
        TesterSettings(
            canMakePayments: true, askToBuy: false, interruptPurchases: false, signIn: .ok, sheet: .auto,
            subscriptionRenewalRate: .realTime, simulatedErrors: TesterSettings.SimulatedErrors(), processor: .approve)
    ) { $0.priceConsent = .agree }
}

/// The facts for a plan: the products that the app sells to the account, and the state of the account.
struct TriggerFacts: Hashable, Sendable {
    /// A product on sale.
    struct Item: Hashable, Sendable {
        var product: Product
        /// The service level, 1 the highest. Nil outside subscriptions.
        var level: Int?
        /// Offers that a subscriber of the group may redeem.
        var offers: [RedeemedOffer] = []

        var identifier: String { product.productIdentifier }
        var group: String? { product.subscriptionGroupIdentifier }
    }

    var bundleId: String
    /// By the app's clock.
    var now: Timestamp
    /// In the catalogue's order.
    var items: [Item]
    /// The product that the operator wants. Nil for any.
    var wanted: String?
    /// Nil for an account that is made.
    var account: String?
    /// The account's subscriptions, or the one of the transaction that the operator has named.
    var subscriptions: [Subscription] = []
    /// The transaction that the operator has named, else the account's latest purchase. Nil for none.
    var transaction: PaymentTransaction?
    /// Whether the operator has named the transaction, so that nothing else is bought.
    var isNamed = false
}

extension TriggerPlan {
    /// Plans the cause of a notification.
    /// - Throws: `requestInvalid` (422) when the account or the app lacks the object of the event. The text has the
    ///   remedy.
    init(_ name: NotificationType, _ subtype: NotificationSubtype?, _ facts: TriggerFacts) throws {
        let planner = TriggerPlanner(name: name, subtype: subtype, facts: facts)
        self = try planner.plan()
    }
}

private struct TriggerPlanner {
    typealias Step = TriggerPlan.Step

    let name: NotificationType
    let subtype: NotificationSubtype?
    let facts: TriggerFacts

    func plan() throws -> TriggerPlan {
        switch (name, subtype) {
        case (.subscribed, .resubscribe): try resubscribe()
        case (.subscribed, _): try fresh { TriggerPlan(cause: [.buy($0)]) }
        case (.didRenew, .billingRecovery): try recover()
        case (.didRenew, _):
            try existing {
                $0.state == .subscribed && $0.willAutoRenew
            } plan: {
                TriggerPlan(about: $0, cause: [.operate(.renew)])
            }
                ?? fresh { TriggerPlan(cause: [.buyBefore($0, past())]) }
        case (.didChangeRenewalPref, _): try change()
        case (.offerRedeemed, _): try redeem()
        case (.didChangeRenewalStatus, .autoRenewEnabled):
            try existing(isRunning) { subject, known in
                TriggerPlan(
                    known.willAutoRenew ? [.operate(.disableAutoRenew)] : [], about: subject,
                    cause: [.operate(.enableAutoRenew)])
            } ?? fresh { TriggerPlan([.buy($0), .operate(.disableAutoRenew)], cause: [.operate(.enableAutoRenew)]) }
        case (.didChangeRenewalStatus, _):
            try existing {
                isRunning($0) && ($0.commitmentRenewal?.willAutoRenew ?? $0.willAutoRenew)
            } plan: {
                TriggerPlan(about: $0, cause: [.operate(.disableAutoRenew)])
            } ?? fresh { TriggerPlan([.buy($0)], cause: [.operate(.disableAutoRenew)]) }
        case (.expired, _): try expire()
        case (.didFailToRenew, _):
            try fresh { TriggerPlan([declined(grace: subtype == .gracePeriod)], cause: [.buyBefore($0, past())]) }
        case (.gracePeriodExpired, _):
            try fresh { TriggerPlan([declined(grace: true)], cause: [.buyBefore($0, past(.gracePeriodEnd))]) }
        case (.priceIncrease, _): try raisePrice()
        case (.refund, _): try purchase(cause: [.refund])
        case (.revoke, _): try purchase(cause: [.revoke])
        case (.consumptionRequest, _): try purchase(cause: [.requestRefund])
        case (.refundDeclined, _): try purchase([.requestRefund], cause: [.declineRefund])
        case (.refundReversed, _): try reverse()
        case (.renewalExtended, _):
            try existing {
                $0.state == .subscribed
            } plan: {
                TriggerPlan(about: $0, cause: [.operate(.extend, days: TriggerPlan.days)])
            } ?? fresh { TriggerPlan([.buy($0)], cause: [.operate(.extend, days: TriggerPlan.days)]) }
        case (.renewalExtension, .failure):
            try existing {
                $0.state == .inGracePeriod || $0.state == .inBillingRetryPeriod
            } plan: {
                TriggerPlan(about: $0, cause: [.extendAll])
            } ?? fresh { TriggerPlan([declined(grace: false), .buyBefore($0, past())], cause: [.extendAll]) }
        case (.renewalExtension, _):
            try existing {
                $0.state == .subscribed
            } plan: {
                TriggerPlan(about: $0, cause: [.extendAll])
            }
                // No introductory offer, which cannot be extended.
                ?? fresh { TriggerPlan([.buyBefore($0, past(in: .seconds(86_400)))], cause: [.extendAll]) }
        case (.oneTimeCharge, _): try buyOnce()
        case (.test, _), (.externalPurchaseToken, _), (.rescindConsent, _), (.priceChange, _), (.metadataUpdate, _),
            (.migration, _):
            throw StoreError(.internal, "a \(name.rawValue) has no cause in this store")
        }
    }

    // MARK: Subscriptions

    private func isRunning(_ known: Subscription) -> Bool {
        known.state == .subscribed || known.state == .inGracePeriod
    }

    /// Plans with a subscription that the account has. Nil when none fits.
    private func existing(
        _ fits: (Subscription) -> Bool, plan: (TriggerPlan.Subject, Subscription) throws -> TriggerPlan?
    ) throws -> TriggerPlan? {
        for known in facts.subscriptions
        where fits(known) && facts.wanted.map(known.productIdentifier.isExactly) != false {
            if let plan = try plan(subject(of: known), known) { return plan }
        }
        return nil
    }

    private func existing(
        _ fits: (Subscription) -> Bool, plan: (TriggerPlan.Subject) -> TriggerPlan
    ) throws -> TriggerPlan? {
        try existing(fits) { subject, _ in plan(subject) }
    }

    private func subject(of known: Subscription) -> TriggerPlan.Subject {
        TriggerPlan.Subject(
            id: known.id, productIdentifier: known.productIdentifier,
            originalTransactionIdentifier: known.originalTransactionIdentifier)
    }

    /// Subscriptions of groups that the account has never subscribed to.
    private var unknown: [TriggerFacts.Item] {
        facts.isNamed
            ? []
            : facts.items.filter { item in
                item.product.type == .autoRenewable
                    && !facts.subscriptions.contains { $0.subscriptionGroupIdentifier.isExactly(item.group) }
            }
    }

    private func isWanted(_ item: TriggerFacts.Item) -> Bool { facts.wanted.map(item.identifier.isExactly) ?? true }

    /// Plans with a subscription that the account buys.
    private func fresh(_ plan: (String) throws -> TriggerPlan) throws -> TriggerPlan {
        guard let item = unknown.first(where: isWanted) else { throw missing("subscription", "a subscription") }
        return try plan(item.identifier)
    }

    private func past(
        _ due: PastPurchase.Due = .periodEnd, in time: Duration = .zero, price: Money? = nil, renews: Bool? = nil
    ) -> PastPurchase {
        PastPurchase(due: due, at: facts.now + time, price: price, willAutoRenew: renews)
    }

    private func set(_ change: (inout TesterSettings) -> Void) -> Step { .set(with(TriggerPlan.settings, change)) }

    private func declined(grace: Bool) -> Step { set { ($0.processor, $0.billingGracePeriod) = (.decline, grace) } }

    private func resubscribe() throws -> TriggerPlan {
        try existing { _ in
            true
        } plan: { subject, known throws in
            guard facts.items.contains(where: { $0.identifier.isExactly(known.productIdentifier) }) else { return nil }
            return TriggerPlan(
                known.state.isExisting ? [.operate(.expire, .cancelled)] : [], about: subject,
                cause: [.buy(known.productIdentifier)])
        } ?? fresh { TriggerPlan([.buyBefore($0, past(renews: false))], cause: [.buy($0)]) }
    }

    private func recover() throws -> TriggerPlan {
        let approved = set { _ in }
        return try existing {
            $0.state == .inGracePeriod || $0.state == .inBillingRetryPeriod
        } plan: {
            TriggerPlan([approved], about: $0, cause: [.operate(.resolveBilling)])
        }
            ?? fresh {
                TriggerPlan(
                    [declined(grace: false), .buyBefore($0, past()), approved], cause: [.operate(.resolveBilling)])
            }
    }

    private func expire() throws -> TriggerPlan {
        let reason: Subscription.ExpirationReason =
            switch subtype {
            case .voluntary: .cancelled
            case .billingRetry: .billingError
            case .priceIncrease: .priceIncreaseRefused
            case .productNotForSale: .productNotAvailable
            default: .other
            }
        if let plan = try existing(
            isRunning,
            plan: { subject, known in
                TriggerPlan(
                    reason == .cancelled && known.willAutoRenew ? [.operate(.disableAutoRenew)] : [], about: subject,
                    cause: [.operate(.expire, reason)])
            })
        {
            return plan
        }
        switch reason {
        case .cancelled: return try fresh { TriggerPlan(cause: [.buyBefore($0, past(renews: false))]) }
        case .billingError:
            return try fresh {
                TriggerPlan([declined(grace: false)], cause: [.buyBefore($0, past(.billingRetryEnd))])
            }
        case .priceIncreaseRefused:
            return try cheaper { product, price in
                TriggerPlan(
                    [set { $0.priceConsent = .decline }], cause: [.buyBefore(product, past(price: price))])
            }
        case .productNotAvailable, .other:
            return try fresh { TriggerPlan([.buy($0)], cause: [.operate(.expire, reason)]) }
        }
    }

    private func raisePrice() throws -> TriggerPlan {
        try cheaper { product, price in
            subtype == .pending
                ? TriggerPlan(
                    [set { $0.priceConsent = .interactive }],
                    cause: [.buyBefore(product, past(in: .seconds(86_400), price: price))])
                : TriggerPlan([set { _ in }], cause: [.buyBefore(product, past(price: price))])
        }
    }

    /// Plans with a subscription that was bought at half its price.
    private func cheaper(_ plan: (String, Money) -> TriggerPlan) throws -> TriggerPlan {
        guard let item = unknown.first(where: { isWanted($0) && $0.product.price.minorUnits > 1 }) else {
            throw missing("subscription", "a subscription with a price")
        }
        let price = item.product.price
        return plan(
            item.identifier, Money(minorUnits: price.minorUnits / 2, currency: price.currency))
    }

    // MARK: Changes of product

    /// A subscription and its replacement.
    fileprivate struct Pair {
        var from: TriggerFacts.Item
        var to: TriggerFacts.Item
        var offer: RedeemedOffer?
    }

    private func change() throws -> TriggerPlan {
        let isUpgrade = subtype == .upgrade
        let wanted: (Pair) -> Bool = { pair in isUpgrade ? pair.isReplacement : pair.isScheduled }
        let what =
            isUpgrade ? "a higher one of its group, or one of the same level and length" : "a lower one of its group"
        if let plan = try existing(
            { $0.state == .subscribed && $0.willAutoRenew },
            plan: { subject, known in
                let next = known.commitmentRenewal?.autoRenewProductIdentifier ?? known.autoRenewProductIdentifier
                let isScheduled = !next.isExactly(known.productIdentifier)
                if subtype == nil, isScheduled {
                    return TriggerPlan(about: subject, cause: [.choose(known.productIdentifier)])
                }
                guard let pair = replacements(of: known.productIdentifier).first(where: wanted),
                    isUpgrade || !isScheduled
                else {
                    return nil
                }
                return changed(pair, about: subject)
            })
        {
            return plan
        }
        guard let pair = unknown.lazy.filter(isWanted).flatMap({ replacements(of: $0.identifier) }).first(where: wanted)
        else {
            throw missing("subscription", "a subscription and \(what)")
        }
        return changed(pair, about: nil)
    }

    private func changed(_ pair: Pair, about subject: TriggerPlan.Subject?) -> TriggerPlan {
        let bought: [Step] = subject == nil ? [.buy(pair.from.identifier)] : []
        switch subtype {
        case .upgrade: return TriggerPlan(bought, about: subject, cause: [.buy(pair.to.identifier)])
        case .downgrade: return TriggerPlan(bought, about: subject, cause: [.choose(pair.to.identifier)])
        default:
            return TriggerPlan(
                bought + [.choose(pair.to.identifier)], about: subject, cause: [.choose(pair.from.identifier)])
        }
    }

    private func redeem() throws -> TriggerPlan {
        let wanted: (Pair) -> Bool = { [subtype] pair in
            guard pair.offer != nil else { return false }
            switch subtype {
            case .upgrade: return !pair.isSame && pair.levels <= 0
            case .downgrade: return !pair.isSame && pair.levels > 0
            default: return pair.isSame
            }
        }
        if let plan = try existing(
            isRunning,
            plan: { subject, known in
                replacements(of: known.productIdentifier, withSame: true).first(where: wanted).map {
                    TriggerPlan(about: subject, cause: [.buy($0.to.identifier, $0.offer)])
                }
            })
        {
            return plan
        }
        let pairs = unknown.lazy.filter(isWanted).flatMap { replacements(of: $0.identifier, withSame: true) }
        guard let pair = pairs.first(where: wanted) else {
            let what =
                switch subtype {
                case .upgrade: "a subscription and a higher one of its group with a promotional offer or an offer code"
                case .downgrade: "a subscription and a lower one of its group with a promotional offer"
                default: "a subscription with a promotional offer or an offer code for subscribers"
                }
            throw missing("subscription", what)
        }
        return TriggerPlan([.buy(pair.from.identifier)], cause: [.buy(pair.to.identifier, pair.offer)])
    }

    /// Returns the products that may replace a product, in the catalogue's order.
    private func replacements(of identifier: String, withSame: Bool = false) -> [Pair] {
        guard let from = facts.items.first(where: { $0.identifier.isExactly(identifier) }), let group = from.group
        else {
            return []
        }
        return facts.items.filter { item in
            group.isExactly(item.group) && (withSame || !item.identifier.isExactly(identifier))
        }.map { to in
            var pair = Pair(from: from, to: to, offer: to.offers.first)
            // An offer code does not downgrade.
            if pair.levels > 0 { pair.offer = to.offers.first { $0.type != .code } }
            return pair
        }
    }

    // MARK: Purchases

    /// Plans with a purchase that the account has, or one that it makes.
    private func purchase(_ preparation: [Step] = [], cause: [Step]) throws -> TriggerPlan {
        if let known = facts.transaction {
            guard known.transactionState == .purchased, known.revocationDate == nil else {
                guard facts.isNamed else { return try bought(preparation, cause: cause) }
                throw invalid("$.of", "is not a purchase that the customer still has; a \(name.rawValue) needs one")
            }
            return TriggerPlan(preparation, about: TriggerPlan.Subject(known), cause: cause)
        }
        return try bought(preparation, cause: cause)
    }

    private func bought(_ preparation: [Step], cause: [Step]) throws -> TriggerPlan {
        let order: [ProductType] = [.consumable, .nonConsumable, .nonRenewable, .autoRenewable]
        let item = order.lazy.compactMap { type in facts.items.first { $0.product.type == type && isWanted($0) } }.first
        guard let item else { throw missing("product", "a product") }
        return TriggerPlan([.buy(item.identifier)] + preparation, cause: cause)
    }

    private func reverse() throws -> TriggerPlan {
        if let known = facts.transaction, known.revocationType == .refundFull || known.revocationType == .refundProrated
        {
            return TriggerPlan(about: TriggerPlan.Subject(known), cause: [.reverseRefund])
        }
        return try purchase([.refund], cause: [.reverseRefund])
    }

    private func buyOnce() throws -> TriggerPlan {
        guard !facts.isNamed else { throw invalid("$.of", "must be left out: a \(name.rawValue) is a purchase") }
        let order: [ProductType] = [.consumable, .nonRenewable, .nonConsumable]
        let item = order.lazy.compactMap { type in facts.items.first { $0.product.type == type && isWanted($0) } }.first
        guard let item else { throw missing("product", "a product outside subscriptions") }
        return TriggerPlan(cause: [.buy(item.identifier)])
    }

    // MARK: Refusals

    /// The refusal of a product that the app does not sell or the account cannot have.
    private func missing(_ noun: String, _ what: String) -> StoreError {
        let kind = ([name.rawValue] + [subtype?.rawValue].compactMap(\.self)).joined(separator: ".")
        if facts.isNamed {
            return invalid(
                "$.of",
                "is of a \(noun) to which a \(kind) cannot happen now; leave out of, or only send it with onlySend")
        }
        if let wanted = facts.wanted {
            return invalid(
                "$.productIdentifier", "a \(kind) needs \(what), and the account cannot buy \(wanted) for it")
        }
        guard let account = facts.account, !facts.subscriptions.isEmpty else {
            return invalid(
                "$.notificationType",
                "a \(kind) needs \(what), and \(facts.bundleId) sells none; import a catalogue that does, or only send it with onlySend"
            )
        }
        return invalid(
            "$.account",
            "'\(account)' has no subscription to which a \(kind) can happen now, and \(facts.bundleId) sells no other; "
                + "a \(kind) needs \(what): leave out account, name another one, or only send it with onlySend")
    }

    private func invalid(_ path: String, _ reason: String) -> StoreError { .invalid(path, reason, status: 422) }
}

extension TriggerPlanner.Pair {
    var isSame: Bool { from.identifier.isExactly(to.identifier) }
    /// The number of levels it goes down. The level grows downwards.
    var levels: Int { (to.level ?? 1) - (from.level ?? 1) }

    private var isAsLong: Bool {
        guard let new = to.product.subscriptionPeriod, let old = from.product.subscriptionPeriod else { return false }
        return new.isAsLong(as: old)
    }

    /// Whether a purchase takes effect at once.
    var isReplacement: Bool { levels < 0 || levels == 0 && isAsLong }
    /// Whether it takes effect with the next renewal.
    var isScheduled: Bool { !isSame && !isReplacement }
}
