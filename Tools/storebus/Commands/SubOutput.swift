import StoreModels

/// Subscriptions as `storebus sub list` and `sub show` show them.
enum SubscriptionTable {
    /// - Parameter facts: Those of each app's subscriptions, by app and product.
    static func result(
        _ subscriptions: [Subscription], facts: [ExactText: [ExactText: SubscriptionFacts]], after: String?
    ) -> CommandResult {
        let hasSeveralApps = Set(exactly: subscriptions.compactMap(\.bundleId)).count > 1
        let app: [Table.Column] = hasSeveralApps ? ["APP"] : []
        let columns: [Table.Column] =
            ["SUBSCRIPTION", "ACCOUNT"] + app + [
                "GROUP", .right("LEVEL"), "PRODUCT", .state("STATE"), "RENEWS", "UNTIL", .right("PRICE"), "OFFERS",
                "REMARKS",
            ]
        let hint = subscriptions.first.map(next) ?? "storebus product list"
        let known = { (one: Subscription) in facts[one.bundleId ?? ""]?[one.productIdentifier] }
        return CommandResult(
            subscriptions, columns, named: \.originalTransactionIdentifier,
            json: { json($0, known($0)) }, next: hint, after: after, ifEmpty: "no subscriptions"
        ) { one in
            let fact = known(one)
            return [one.originalTransactionIdentifier, one.account ?? "-"]
                + (hasSeveralApps ? [one.bundleId ?? "-"] : []) + [
                    fact?.group ?? one.subscriptionGroupIdentifier, fact.map { "\($0.level)" } ?? "-",
                    one.productIdentifier, one.state.rawValue, one.willAutoRenew ? "yes" : "no",
                    Format.time(one.expiresDate), one.renewalPrice.map(Format.price) ?? "-", offers(one, fact) ?? "-",
                    remarks(one),
                ]
        }.about(subscriptions.first?.bundleId)
    }

    private static func remarks(_ one: Subscription) -> String {
        var remarks = one.offer.map { [SubscriptionFormat.offer($0)] } ?? []
        if !one.autoRenewProductIdentifier.isExactly(one.productIdentifier) {
            remarks.append("then \(one.autoRenewProductIdentifier)")
        }
        if let place = SubscriptionFormat.place(one) { remarks.append(place) }
        if let until = one.gracePeriodExpiresDate { remarks.append("access until \(Format.time(until))") }
        if let reason = one.expirationReason { remarks.append(SubscriptionFormat.reason(reason)) }
        return remarks.joined(separator: ", ")
    }

    /// The offers that the subscriber can be given now: promotional ones, and win-back offers after the end.
    private static func offers(_ one: Subscription, _ facts: SubscriptionFacts?) -> String? {
        let promotional = (facts?.offers ?? []).filter(\.isPromotional)
        let offers = promotional + one.eligibleWinBackOfferIdentifiers.map(OfferOption.winBack)
        return offers.isEmpty ? nil : offers.map(\.text).joined(separator: ", ")
    }

    /// The subscription's members with its remarks and explanations.
    static func json(_ one: Subscription, _ facts: SubscriptionFacts? = nil) -> JSONValue {
        JSONText.value(one).with([
            "summary": .string([SubscriptionFormat.status(one), remarks(one)].joined(separator: "; ")),
            "offers": offers(one, facts).map { .string($0) },
        ]).with(facts?.json ?? [:])
    }

    /// One subscription, a fact a line.
    static func result(_ one: Subscription, _ facts: SubscriptionFacts?) -> CommandResult {
        let group = one.subscriptionGroupIdentifier
        let fields: FieldList = [
            "subscription": one.originalTransactionIdentifier, "account": one.account, "app": one.bundleId,
            "group": facts?.text(of: group) ?? group, "product": one.productIdentifier, "state": one.state.rawValue,
            "standing": SubscriptionFormat.status(one), "plan": SubscriptionFormat.plan(one),
            "period": "from \(Format.time(one.purchaseDate)) to \(Format.time(one.expiresDate))",
            "offer": one.offer.map(SubscriptionFormat.offer),
            "offers": offers(one, facts), "transaction": one.transactionIdentifier,
        ]
        return CommandResult(
            fields, data: json(one, facts), names: [one.originalTransactionIdentifier], next: next(one)
        ).about(one.bundleId)
    }

    /// The next command after it.
    static func next(_ one: Subscription) -> Advice {
        "storebus sub timeline \(one.originalTransactionIdentifier)"
    }
}

/// Formats facts of a subscription for sentences and tables.
enum SubscriptionFormat {
    /// `trial`, `introductory offer`, `promotional offer loyal`
    static func offer(_ offer: AppliedOffer) -> String {
        let name: String
        switch offer.type {
        case .introductory: return offer.paymentMode == .freeTrial ? "trial" : "introductory offer"
        case .subscription: name = "promotional offer"
        case .code: name = "offer code"
        case .winBack: name = "win-back offer"
        }
        return offer.identifier.map { "\(name) \($0)" } ?? name
    }

    /// Remarks on an event besides its kind, product and amount.
    /// - Parameter before: The offer of the period before it.
    static func remark(
        _ event: SubscriptionEvent, after before: AppliedOffer?, _ instant: (Timestamp) -> String
    ) -> String {
        var remarks: [String] = []
        if let offer = event.offer { remarks.append(self.offer(offer)) }
        if let expires = event.expiresDate, event.kind != .expired { remarks.append("until \(instant(expires))") }
        if event.beginsPeriod, event.offer == nil, let before { remarks.append("\(self.offer(before)) ended") }
        if let detail = detail(event) { remarks.append(detail) }
        return remarks.joined(separator: ", ")
    }

    private static func detail(_ event: SubscriptionEvent) -> String? {
        // The processor's message is in the JSON; in a table it repeats this.
        if event.kind == .billingFailed { return "declined" }
        guard let detail = event.detail, !detail.isEmpty else { return nil }
        return switch event.kind {
        case .changeScheduled: "to \(detail) at the next renewal"
        case .changeReverted: "no more to \(detail)"
        default: detail
        }
    }

    /// `payment 3 of 12`. Nil for a period that is paid up front.
    static func place(_ subscription: Subscription) -> String? {
        subscription.commitment.map { "payment \($0.billingPeriodNumber) of \($0.totalBillingPeriods)" }
    }

    /// The billing plan, and what follows a commitment. Nil for a product that has one plan:
    /// `monthly payments: payment 3 of 12, 59.88 EUR to 2028-03-01 10:00:00Z, then 59.88 EUR`
    static func plan(_ subscription: Subscription) -> String? {
        guard let plan = subscription.billingPlanType else { return nil }
        guard let commitment = subscription.commitment, let place = place(subscription) else {
            let changes = subscription.renewalBillingPlanType.map { $0 != plan } ?? false
            return "each period up front" + (changes && subscription.willAutoRenew ? ", then monthly payments" : "")
        }
        let whole = "\(Format.price(commitment.price)) to \(Format.time(commitment.expiresDate))"
        return "monthly payments: \(place), \(whole)\(afterwards(subscription))"
    }

    private static func afterwards(_ subscription: Subscription) -> String {
        guard let next = subscription.commitmentRenewal, subscription.state.isExisting else { return "" }
        guard next.willAutoRenew else { return ", then it ends" }
        let isOther = !next.autoRenewProductIdentifier.isExactly(subscription.productIdentifier)
        let product = isOther ? " as \(next.autoRenewProductIdentifier)" : ""
        let plan = isOther || next.billingPlanType == .monthly ? "" : " up front"
        return ", then it renews\(product)" + (next.renewalPrice.map { " for \(Format.price($0))" } ?? "") + plan
    }

    /// The next change, without a full stop: `renews 2027-02-28 10:00:04Z for 9.99 USD`.
    static func status(_ subscription: Subscription) -> String {
        let end = Format.time(subscription.expiresDate)
        switch subscription.state {
        case .subscribed:
            guard subscription.willAutoRenew else { return "ends \(end)" }
            let other = subscription.autoRenewProductIdentifier
            let product = other.isExactly(subscription.productIdentifier) ? "" : " as \(other)"
            return "renews \(end)\(product)" + (subscription.renewalPrice.map { " for \(Format.price($0))" } ?? "")
                + consent(subscription) + endOfCommitment(subscription)
        case .inGracePeriod:
            let until = Format.time(subscription.gracePeriodExpiresDate ?? subscription.expiresDate)
            return "access until \(until), \(retry(subscription))"
        case .inBillingRetryPeriod: return "no access, \(retry(subscription))"
        case .expired:
            return "ended \(end)" + (subscription.expirationReason.map { ", \(reason($0))" } ?? "")
        case .revoked: return "the period would have gone to \(end)"
        }
    }

    /// The end after a commitment whose payments go on: `, ends 2028-03-01 10:00:00Z after payment 12`.
    private static func endOfCommitment(_ subscription: Subscription) -> String {
        guard let next = subscription.commitmentRenewal, !next.willAutoRenew else { return "" }
        let count = subscription.commitment?.totalBillingPeriods ?? BillingPlan.paymentsPerCommitment
        return ", ends \(Format.time(next.renewalDate)) after payment \(count)"
    }

    /// The tries of a declined charge that are ahead: `the charge is tried again 2027-02-01 10:00:04Z, …`.
    static func retry(_ subscription: Subscription) -> String {
        guard let next = subscription.nextRetryDate, let last = subscription.lastRetryDate else {
            return subscription.willAutoRenew ? "the charge waits for the operator" : "then it ends"
        }
        return next == last
            ? "the charge is tried for the last time \(Format.time(last))"
            : "the charge is tried again \(Format.time(next)), for the last time \(Format.time(last))"
    }

    /// The subscriber's answer to a higher price: `, if the price is agreed to, up from 9.99 USD`.
    private static func consent(_ subscription: Subscription) -> String {
        guard let increase = subscription.priceIncrease else { return "" }
        let former = Format.price(increase.formerPrice)
        return switch increase.status {
        case .pending: ", if the price is agreed to, up from \(former)"
        case .agreed: ", agreed, up from \(former)"
        case .declined: ", which was declined: it ends then"
        }
    }

    /// The reason of the end.
    static func reason(_ reason: Subscription.ExpirationReason) -> String {
        switch reason {
        case .cancelled: "auto-renew was off"
        case .billingError: "the charge was declined to the end"
        case .priceIncreaseRefused: "the higher price was not accepted"
        case .productNotAvailable: "the product was not for sale"
        case .other: "ended by the store"
        }
    }
}

/// Explains why an app's subscriptions renew faster than in real time.
enum RenewalFormat {
    /// `subscriptions renew every 30 s because the file says _timeRate 15 (monthlyRenewalEveryThirtySeconds)`. Nil in
    /// real time.
    static func sentence(_ app: App) -> String? {
        guard let rate = app.testerDefaults?.subscriptionRenewalRate, rate != .realTime else { return nil }
        return "subscriptions renew \(every(rate)) because \(cause(app)) (\(rate.rawValue))"
    }

    /// The sentence with its remedy.
    static func note(_ app: App) -> Advice? {
        sentence(app).map { sentence in
            "\(sentence), twelve times as in Apple's sandbox; "
                + "the calendar's periods: storebus app set --renewal-rate realTime\(AppOptions.flag(app.bundleId))"
        }
    }

    private static func cause(_ app: App) -> String {
        if app.settings.subscriptionRenewalRate != nil { return "the app is set so" }
        return app.timeRate.map { "the file says _timeRate \($0)" } ?? "the catalogue's settings say so"
    }

    /// `every 30 s`: the duration of a month.
    static func every(_ rate: SubscriptionRenewalRate) -> String {
        switch rate {
        case .realTime: "in real time"
        case .oneSecondIsOneDay: "every 30 s, a second for each day"
        case .oneRenewalEveryTwoSeconds: "every 2 s"
        case .oneRenewalEveryFiveSeconds: "every 5 s"
        case .oneRenewalEveryTenSeconds: "every 10 s"
        case .oneRenewalEveryThirtySeconds, .monthlyRenewalEveryThirtySeconds: "every 30 s"
        case .oneRenewalEveryMinute: "every minute"
        case .oneRenewalEveryThreeMinutes, .monthlyRenewalEveryThreeMinutes: "every 3 minutes"
        case .oneRenewalEveryFiveMinutes, .monthlyRenewalEveryFiveMinutes: "every 5 minutes"
        case .oneRenewalEveryFifteenMinutes: "every 15 minutes"
        case .oneRenewalEveryThirtyMinutes: "every 30 minutes"
        case .oneRenewalEveryHour, .monthlyRenewalEveryHour: "every hour"
        }
    }
}
