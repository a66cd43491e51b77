import StoreModels

/// Decides a subscription's next row and its commit's actions from an event, without I/O.
///
/// ```
/// subscribed ── declined ─▶ inGracePeriod ── graceEnded ─▶ inBillingRetryPeriod ── 60 days ─▶ expired
///     ▲  │ ▲                     │ charged                     │ charged                        │
///     │  │ └─────────────────────┴─────────────────────────────┘        bought ◀────────────────┤
///     │  └── refunded, revoked ─▶ revoked ──────────────────────────────────────────────────────┘
///     └── charged: the next period
/// ```
/// Under the plan of monthly payments there is no grace period, billing retry has 90 days, and each charge counts a
/// payment of the commitment. Only `bought` leads out of `expired` and `revoked`. A new period never begins before its
/// charge is captured.
struct SubscriptionStateMachine: Hashable, Sendable {
    private(set) var value: StoredSubscription
    private var actions: [SubscriptionAction] = []
    /// The instant of the change, by the app's clock.
    private let at: Timestamp

    /// Creates the machine of a stored subscription.
    /// - Parameter at: The instant of the change, by the app's clock. It is at or after `dueAt` for due events.
    init(_ value: StoredSubscription, at: Timestamp) {
        self.value = value
        self.at = at
    }

    /// Applies an event.
    /// - Returns: The actions for the commit that writes ``value``.
    /// - Throws: `transactionStateInvalid` if the state does not have the edge.
    mutating func handle(_ event: SubscriptionTransition) throws(StoreError) -> [SubscriptionAction] {
        actions = []
        switch event {
        case .bought(let purchase): buy(purchase)
        case .charged(let renewal): try charge(renewal)
        case .declined(let decline): try refuse(decline)
        case .quarantined(let mismatch): try quarantine(mismatch)
        case .graceEnded: try endGrace()
        case .expired(let reason): try expire(reason)
        case .autoRenewDisabled: try disable()
        case .autoRenewEnabled: try enable()
        case .changeScheduled(let product, let plan, let by): try schedule(product, plan ?? .upFront, by)
        case .changeReverted(let by): try revert(by)
        case .ended(let taken): end(taken)
        case .curtailed(let taken, let end): try curtail(taken, at: end)
        case .extended(let days): try extend(days)
        case .cutShort: try cutShort()
        case .renewalWillFail: try failNext()
        case .priceRaised(let increase): try raise(increase)
        case .consentRequested: try requestConsent()
        case .priceAnswered(let agrees): try answer(agrees)
        }
        return actions
    }

    private var calendar: RenewalSchedule { RenewalSchedule(value.rate) }

    private func require(_ states: Set<SubscriptionState>, _ what: String) throws(StoreError) {
        guard states.contains(value.state) else {
            throw StoreError(
                .transactionStateInvalid, "a subscription that is \(value.state.rawValue) cannot be \(what)",
                details: ["state": .string(value.state.rawValue)])
        }
    }

    private mutating func record(
        _ kind: SubscriptionEvent.Kind, amount: Money? = nil, offer: AppliedOffer? = nil, expires: Timestamp? = nil,
        detail: String? = nil, transactionIdentifier: String? = nil, period: Int? = nil
    ) {
        actions.append(
            .record(
                with(
                    SubscriptionEvent(
                        at: at, kind: kind, originalTransactionIdentifier: value.originalIdentifier,
                        productIdentifier: value.product, amount: amount, transactionIdentifier: transactionIdentifier,
                        period: period ?? value.period.index, expiresDate: expires)
                ) {
                    $0.offer = offer
                    $0.detail = detail
                }))
    }

    // MARK: Periods

    private mutating func buy(_ bought: SubscriptionPurchase) {
        let terms = bought.terms
        let isFirst = value.period.index < 0
        let wasExisting = !isFirst && value.state.isExisting
        let (former, formerLevel) = (value.product, value.level)
        if wasExisting { actions.append(.cutPeriods(at: bought.paid.start)) }
        forgetIncrease()
        begin(bought.paid, group: terms.group, level: terms.level, length: terms.length)
        value.anchor = RenewalSchedule(terms.rate).anchor(
            from: bought.paid.start, to: bought.paid.end, access: terms.accessPeriod, length: terms.length)
        (value.willAutoRenew, value.rate, value.renewals, value.failsNext) = (true, terms.rate, 0, false)
        (value.offer, value.agreedPrice) = (bought.offer, terms.price)
        value.plan = terms.billingPlan.map { self.plan($0, terms) }
        let kind: SubscriptionEvent.Kind =
            if isFirst { .subscribed } else if !wasExisting { .resubscribed } else {
                terms.level < formerLevel ? .upgraded : .crossgraded
            }
        record(
            kind, amount: bought.paid.amount, offer: bought.offer?.applied, expires: value.period.end,
            detail: wasExisting ? "from \(former)" : nil, transactionIdentifier: bought.paid.identifier)
    }

    private mutating func charge(_ renewal: SubscriptionRenewal) throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "renewed")
        let isRecovery = value.state != .subscribed
        let (attempt, terms, offer) = (renewal.attempt, renewal.terms, renewal.offer)
        let amount = attempt.terms.amount
        let anchor = anchor(for: terms.length)
        let increase = attempt.asks ?? (offer == nil ? nil : value.priceIncrease)
        let committed = value.isCommitted ? value.plan : nil
        forgetIncrease()
        let start = value.state == .inBillingRetryPeriod ? at : value.period.end
        let end = calendar.end(of: terms.length, times: anchor.count, from: anchor.at)
        begin(
            SubscriptionPaid(
                id: renewal.id, identifier: renewal.identifier, product: attempt.product,
                chargeKey: attempt.terms.isFree ? nil : attempt.chargeKey,
                amount: amount, start: start, end: end),
            group: terms.group, level: terms.level, length: terms.length)
        (value.anchor, value.offer) = (anchor, offer)
        value.renewals += 1
        if offer == nil { value.agreedPrice = attempt.asks?.formerPrice ?? terms.price }
        if let committed { pay(committed) } else { value.plan = terms.billingPlan.map { self.plan($0, terms) } }
        if let former = attempt.formerPrice {
            record(.priceChanged, amount: amount, detail: "was \(former.amount)")
        }
        record(
            isRecovery ? .recovered : .renewed, amount: amount, offer: offer?.applied, expires: end,
            transactionIdentifier: renewal.identifier)
        if let increase {
            value.priceIncrease = increase
            if attempt.asks != nil { record(.priceIncreasePending, amount: increase.price) }
            if increase.status == .pending { actions.append(.askConsent(about: value.period.transactionID)) }
        }
    }

    /// Returns the plan of a period that begins, with the first payment of a commitment.
    private func plan(_ plan: BillingPlan, _ terms: PurchaseTerms.Subscription) -> StoredSubscription.Plan {
        var begun = StoredSubscription.Plan(present: plan, next: plan)
        if plan == .monthly, let price = terms.price?.times(BillingPlan.paymentsPerCommitment) {
            let count = BillingPlan.paymentsPerCommitment
            begun.commitment = Commitment(
                billingPeriodNumber: 1, totalBillingPeriods: count, price: price,
                expiresDate: calendar.end(ofCommitmentWith: count - 1, value.anchor))
            begun.afterwards = .init(product: value.product, plan: plan)
        }
        return begun
    }

    /// Counts a payment of a commitment. From the last one on, what follows it is what the next charge buys.
    private mutating func pay(_ committed: StoredSubscription.Plan) {
        value.plan = committed
        value.plan?.commitment?.billingPeriodNumber += 1
        moveCommitment()
        guard value.plan?.commitment?.isLast == true, let afterwards = committed.afterwards else { return }
        (value.willAutoRenew, value.renewProduct) = (afterwards.willAutoRenew, afterwards.product)
        value.plan?.next = afterwards.plan
        value.plan?.afterwards = nil
    }

    /// Computes the end of the commitment from the present period's.
    private mutating func moveCommitment() {
        guard let commitment = value.plan?.commitment else { return }
        let end = calendar.end(
            ofCommitmentWith: commitment.totalBillingPeriods - commitment.billingPeriodNumber, value.anchor)
        value.plan?.commitment?.expiresDate = end
    }

    /// Forgets what would have followed, because the subscription ends.
    private mutating func forgetAfterwards() {
        value.renewProduct = value.product
        let present = value.presentPlan
        value.plan?.afterwards = nil
        value.plan?.next = present
    }

    /// Returns the next period's anchor. The billing date stays, unless access was interrupted or the length changes.
    private func anchor(for length: SubscriptionPeriod) -> RenewalSchedule.Anchor {
        if value.state == .inBillingRetryPeriod { return RenewalSchedule.Anchor(at: at, count: 1) }
        guard length == value.length else { return RenewalSchedule.Anchor(at: value.period.end, count: 1) }
        return RenewalSchedule.Anchor(at: value.anchor.at, count: value.anchor.count + 1)
    }

    private mutating func begin(
        _ paid: SubscriptionPaid, group: String, level: Int, length: SubscriptionPeriod
    ) {
        let isSameGroup = value.paidGroup.isExactly(group)
        if value.period.index < 0 || !isSameGroup || !value.product.isExactly(paid.product) {
            actions.append(.writeGroup(group, product: paid.product))
        }
        if value.period.index >= 0, !isSameGroup {
            record(.groupChanged, detail: "from \(value.paidGroup) to \(group)")
        }
        value.period = StoredSubscription.Period(
            index: value.period.index + 1, start: paid.start, end: paid.end, transactionID: paid.id,
            transactionIdentifier: paid.identifier)
        value.paidGroup = group
        (value.product, value.level, value.length, value.renewProduct) = (paid.product, level, length, paid.product)
        value.dueAt = paid.end
        (value.state, value.expirationReason) = (.subscribed, nil)
        leaveRetry()
        actions.append(.writePeriod(paid, index: value.period.index))
    }

    private mutating func leaveRetry() {
        (value.retry, value.attempt) = (StoredSubscription.Retry(), nil)
    }

    // MARK: Declined

    private mutating func refuse(_ decline: SubscriptionDecline) throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "declined")
        value.retry.count += 1
        (value.attempt, value.failsNext) = (nil, false)
        record(.billingFailed, amount: decline.amount, detail: decline.reason)
        if value.state == .subscribed {
            // An operator was early: the period continues, and its end tries again.
            guard at >= value.period.end else {
                value.dueAt = value.period.end
                return
            }
            enterRetry(hasGrace: decline.hasGrace)
        }
        guard let next = value.retries?.next(after: at) else { return try expire(.billingError) }
        value.dueAt = value.retry.graceUntil.map { min($0, next) } ?? next
    }

    /// Clears the due instant, so that clocks do not wait for it. The charge stays.
    private mutating func quarantine(_ mismatch: SubscriptionMismatch) throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "quarantined")
        guard !value.isQuarantined else { return }
        value.dueAt = nil
        let charged = mismatch.charged.map { "\($0.amount) \($0.currency.code)" } ?? "another amount"
        record(.billingFailed, amount: mismatch.agreed, detail: "quarantined: the processor has charged \(charged)")
    }

    private mutating func enterRetry(hasGrace: Bool) {
        value.retry.since = at
        guard hasGrace else {
            value.state = .inBillingRetryPeriod
            return record(.billingRetryStarted)
        }
        let until = Timestamp(milliseconds: at.milliseconds + calendar.grace(of: value.length))
        (value.state, value.retry.graceUntil) = (.inGracePeriod, until)
        record(.gracePeriodStarted, expires: until)
    }

    private mutating func endGrace() throws(StoreError) {
        try require([.inGracePeriod], "out of its grace period")
        (value.state, value.retry.graceUntil) = (.inBillingRetryPeriod, nil)
        record(.gracePeriodExpired)
        record(.billingRetryStarted)
        guard let next = value.retries?.next(notBefore: at) else { return try expire(.billingError) }
        value.dueAt = next
    }

    // MARK: Ends

    private mutating func expire(_ reason: Subscription.ExpirationReason) throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "expired")
        let isEarly = at < value.period.end
        if isEarly {
            value.period.end = at
            actions.append(.cutPeriods(at: at))
        }
        let words = isEarly ? reason.rawValue : detail(of: reason)
        (value.state, value.expirationReason, value.dueAt) = (.expired, reason, nil)
        (value.willAutoRenew, value.failsNext) = (false, false)
        forgetAfterwards()
        leaveRetry()
        forgetIncrease()
        record(.expired, expires: value.period.end, detail: words)
    }

    /// Describes an expiry. Testers do not expect the sandbox's maximum, so the timeline names it instead of `other`.
    private func detail(of reason: Subscription.ExpirationReason) -> String {
        guard reason == .other, value.hasRenewedEnough else { return reason.rawValue }
        return "\(value.renewals) renewals under rate \(value.rate.rawValue), as in Apple's sandbox"
    }

    private mutating func end(_ taken: SubscriptionTakenBack) {
        (value.state, value.dueAt, value.willAutoRenew, value.failsNext) = (.revoked, nil, false, false)
        actions.append(.cutPeriods(at: at))
        forgetAfterwards()
        leaveRetry()
        forgetIncrease()
        record(taken)
    }

    /// Ends the subscription later, and access with it. The renewal was taken back, so the subscription does not renew.
    private mutating func curtail(_ taken: SubscriptionTakenBack, at end: Timestamp) throws(StoreError) {
        try require([.subscribed], "taken back")
        actions.append(.cutPeriods(at: end))
        value.period.end = min(value.period.end, end)
        (value.period.start, value.dueAt) = (min(value.period.start, value.period.end), value.period.end)
        value.anchor = RenewalSchedule.Anchor(at: value.period.end, count: 0)
        forgetAfterwards()
        // The commitment has ended with the payment that was taken back.
        value.plan?.commitment = nil
        value.offer = nil
        record(taken)
        try disable()
    }

    private mutating func record(_ taken: SubscriptionTakenBack) {
        record(
            taken.ending == .refunded ? .refunded : .revoked, amount: taken.refunded,
            transactionIdentifier: taken.identifier, period: taken.period)
    }

    // MARK: Renewal preferences

    private mutating func disable() throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "cancelled")
        guard value.renewsAfterwards else { return }
        if let count = value.plan?.commitment?.totalBillingPeriods, value.isCommitted {
            value.plan?.afterwards?.willAutoRenew = false
            return record(.autoRenewDisabled, detail: "after payment \(count) of \(count)")
        }
        value.willAutoRenew = false
        record(.autoRenewDisabled)
        switch value.state {
        case .subscribed: value.dueAt = value.period.end
        case .inGracePeriod: value.dueAt = value.retry.graceUntil
        case .inBillingRetryPeriod, .expired, .revoked: try expire(.cancelled)
        }
    }

    private mutating func enable() throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "made to renew")
        guard !value.renewsAfterwards else { return }
        guard !value.isCommitted else {
            value.plan?.afterwards?.willAutoRenew = true
            return record(.autoRenewEnabled)
        }
        value.willAutoRenew = true
        record(.autoRenewEnabled)
        guard value.state == .inGracePeriod, let next = value.retries?.next(after: at) else { return }
        value.dueAt = value.retry.graceUntil.map { min($0, next) } ?? next
    }

    private mutating func schedule(_ product: String, _ plan: BillingPlan, _ by: String?) throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "changed")
        guard product != value.productAfterwards || plan != value.planAfterwards else { return }
        follow(with: product, plan)
        record(.changeScheduled, detail: product, transactionIdentifier: by)
    }

    /// Sets what follows the present period, or the commitment.
    private mutating func follow(with product: String, _ plan: BillingPlan) {
        guard !value.isCommitted else {
            value.plan?.afterwards?.product = product
            value.plan?.afterwards?.plan = plan
            return
        }
        value.renewProduct = product
        if value.plan == nil, plan != .upFront { value.plan = .init(present: .upFront, next: plan) }
        value.plan?.next = plan
    }

    private mutating func revert(_ by: String?) throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "changed back")
        guard value.isChanged else { return }
        let former = value.productAfterwards
        follow(with: value.product, value.presentPlan)
        record(.changeReverted, detail: former, transactionIdentifier: by)
    }

    private mutating func extend(_ days: Int) throws(StoreError) {
        try require([.subscribed], "extended")
        value.period.end = Timestamp(milliseconds: value.period.end.milliseconds + Int64(days) * 86_400_000)
        value.anchor = RenewalSchedule.Anchor(at: value.period.end, count: 0)
        moveCommitment()
        value.dueAt = value.period.end
        actions.append(.extendPeriod(value.period.index, to: value.period.end))
        record(.extended, expires: value.period.end, detail: "\(days) days")
    }

    /// Lets the renewal be due now. The next period is counted from here.
    private mutating func cutShort() throws(StoreError) {
        try require([.subscribed], "renewed early")
        guard value.period.start <= at else {
            throw StoreError(
                .transactionStateInvalid,
                "the subscription's next period is paid already and begins at \(value.period.start); force a renewal "
                    + "after that")
        }
        if value.priceIncrease?.status == .pending { forgetIncrease() }
        // Inside a commitment the next payment comes in any case, also if nothing follows the last one.
        if !value.isCommitted { try enable() }
        guard at < value.period.end else { return }
        value.period.end = at
        value.anchor = RenewalSchedule.Anchor(at: at, count: 0)
        moveCommitment()
        value.dueAt = at
        actions.append(.cutPeriods(at: at))
    }

    private mutating func failNext() throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "made to fail")
        value.failsNext = true
    }

    // MARK: Price increases

    private mutating func raise(_ increase: PriceIncrease?) throws(StoreError) {
        try require([.subscribed, .inGracePeriod, .inBillingRetryPeriod], "given another price")
        guard value.priceIncrease != increase else { return }
        forgetIncrease()
        value.priceIncrease = increase
        switch increase?.status {
        case nil: record(.priceIncreaseWithdrawn)
        case .pending:
            record(.priceIncreasePending, amount: increase?.price)
            actions.append(.askConsent(about: value.period.transactionID))
        case .agreed: record(.priceIncreaseAgreed, amount: increase?.price)
        case .declined: record(.priceIncreaseDeclined, amount: increase?.price)
        }
    }

    private mutating func requestConsent() throws(StoreError) {
        guard let price = value.agreedPrice else {
            throw StoreError(.transactionStateInvalid, "the subscription has no price that could rise")
        }
        guard !value.isCommitted else {
            throw StoreError(
                .transactionStateInvalid,
                "the price is fixed until the commitment's last payment; ask for consent after that")
        }
        if let known = value.priceIncrease, !known.isRequested {
            guard known.status == .pending else {
                throw StoreError(
                    .transactionStateInvalid, "the subscriber has answered about a higher price already",
                    details: ["status": .string(known.status.rawValue)])
            }
            return
        }
        try raise(PriceIncrease(status: .pending, price: price, formerPrice: price))
    }

    private mutating func answer(_ agrees: Bool) throws(StoreError) {
        guard let increase = value.priceIncrease, increase.status == .pending else { return }
        value.priceIncrease?.status = agrees ? .agreed : .declined
        actions.append(.withdrawConsent(about: value.period.transactionID))
        record(agrees ? .priceIncreaseAgreed : .priceIncreaseDeclined, amount: increase.price)
    }

    private mutating func forgetIncrease() {
        if value.priceIncrease?.status == .pending {
            actions.append(.withdrawConsent(about: value.period.transactionID))
        }
        value.priceIncrease = nil
    }
}
