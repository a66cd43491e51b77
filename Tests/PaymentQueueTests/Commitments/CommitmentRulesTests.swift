import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: the rules of a year in monthly payments: its numbers, its price, its end, and what may not end it early.
@Suite struct CommitmentRulesTests {
    private static let start = Timestamp("2027-01-31T10:00:00.000Z")!

    @Test func `twelve payments are one commitment at one price, and then another begins`() throws {
        var life = CommittedLife(at: Self.start)
        #expect(life.place == "1/12" && life.value.isCommitted)
        #expect(life.value.plan?.commitment?.price == .usd("71.88"))
        #expect(life.value.plan?.commitment?.expiresDate == Timestamp("2028-01-31T10:00:00.000Z"))
        life.sell(.committed("year", month: "6.99"))
        for number in 2...12 {
            #expect(try life.pay() == .usd("5.99"))
            #expect(life.place == "\(number)/12")
            #expect(life.value.willAutoRenew && life.value.isCommitted == (number < 12))
            #expect(life.value.plan?.commitment?.expiresDate == Timestamp("2028-01-31T10:00:00.000Z"))
        }
        #expect(life.value.period.end == Timestamp("2028-01-31T10:00:00.000Z"))
        #expect(try life.pay() == .usd("6.99"))
        #expect(life.place == "1/12" && life.value.plan?.commitment?.price == .usd("83.88"))
        #expect(life.value.plan?.commitment?.expiresDate == Timestamp("2029-01-31T10:00:00.000Z"))
    }

    @Test func `S3: turned off within a commitment it is paid to its end, and not beyond`() throws {
        var life = CommittedLife(at: Self.start)
        _ = try life.pay()
        let actions = try life.handle(.autoRenewDisabled)
        #expect(actions.count == 1 && life.value.willAutoRenew && !life.value.renewsAfterwards)
        #expect(try life.handle(.autoRenewDisabled).isEmpty)
        for _ in 3...12 { _ = try life.pay() }
        #expect(!life.value.willAutoRenew && !life.value.isCommitted)
        #expect(
            RenewalPolicy.step(life.value, life.context, at: life.value.period.end) == .change(.expired(.cancelled)))
    }

    @Test func `S3: a renewal that is forced within a commitment leaves auto-renew turned off`() throws {
        var life = CommittedLife(at: Self.start)
        _ = try life.handle(.autoRenewDisabled)
        for number in 2...12 {
            _ = try life.handle(.cutShort)
            #expect(!life.value.renewsAfterwards)
            _ = try life.pay()
            #expect(life.place == "\(number)/12")
        }
        #expect(!life.value.willAutoRenew)
        // A renewal that is forced in the last period is one that the customer wants.
        _ = try life.handle(.cutShort)
        #expect(life.value.willAutoRenew)
    }

    @Test func `what follows a commitment has a price after it was changed and turned off`() throws {
        var life = CommittedLife(at: Self.start)
        for _ in 2...12 { _ = try life.pay() }
        _ = try life.handle(.changeScheduled(to: "lite", plan: nil, by: nil))
        #expect(life.value.commitmentRenewal?.renewalPrice == nil)
        _ = try life.handle(.autoRenewDisabled)
        #expect(life.value.commitmentRenewal?.renewalPrice == .usd("71.88"))
    }

    @Test func `turned on again within a commitment another one follows`() throws {
        var life = CommittedLife(at: Self.start)
        _ = try life.handle(.autoRenewDisabled)
        _ = try life.handle(.autoRenewEnabled)
        for _ in 2...13 { _ = try life.pay() }
        #expect(life.place == "1/12")
    }

    @Test func `in the last payment's period turning off ends it with that period`() throws {
        var life = CommittedLife(at: Self.start)
        for _ in 2...12 { _ = try life.pay() }
        _ = try life.handle(.autoRenewDisabled)
        #expect(!life.value.willAutoRenew)
        _ = try life.handle(.autoRenewEnabled)
        #expect(life.value.willAutoRenew)
    }

    @Test func `a declined payment has no grace and is tried for ninety days, also after auto-renew was turned off`()
        throws
    {
        var life = CommittedLife(at: Self.start)
        life.hasGrace = true
        let failed = life.value.period.end
        try life.decline()
        #expect(life.value.state == .inBillingRetryPeriod && life.value.retry.graceUntil == nil)
        #expect(life.value.retries?.end == failed + .seconds(90 * 86_400))
        _ = try life.handle(.autoRenewDisabled)
        #expect(life.value.state == .inBillingRetryPeriod && life.value.willAutoRenew)
        var tries = 1
        while life.value.state == .inBillingRetryPeriod {
            try life.decline()
            tries += 1
        }
        #expect(tries == 13 && life.value.state == .expired && life.value.expirationReason == .billingError)
        #expect(!life.value.isCommitted && life.value.plan?.next == .monthly)
    }

    @Test func `a payment that comes late moves the commitment's end with its billing date`() throws {
        var life = CommittedLife(at: Self.start)
        try life.decline()
        let late = try #require(life.value.dueAt)
        _ = try life.pay()
        #expect(life.place == "2/12" && life.value.period.start == late)
        let end = RenewalSchedule(.realTime).end(of: BillingPlan.monthlyPeriod, times: 11, from: late)
        #expect(life.value.plan?.commitment?.expiresDate == end)
        _ = try life.handle(.extended(days: 5))
        #expect(life.value.plan?.commitment?.expiresDate ?? late > end)
    }

    @Test func `sixty days of retries become ninety, under a rate in the same proportion`() {
        for rate in SubscriptionRenewalRate.allCases {
            let schedule = RenewalSchedule(rate)
            #expect(schedule.committedRetry * 2 == schedule.retry * 3)
        }
        #expect(BillingRetryPolicy.committedDays.last == 90)
    }

    @Test func `a commitment is paid to its end under a rate, whose twelve renewals are no end within it`() throws {
        var life = CommittedLife(at: Self.start, rate: .monthlyRenewalEveryThirtySeconds)
        #expect(life.value.plan?.commitment?.expiresDate == Self.start + .seconds(360))
        for _ in 2...24 { _ = try life.pay() }
        #expect(life.place == "12/12" && life.value.renewals == 23)
        #expect(RenewalPolicy.step(life.value, life.context, at: life.value.period.end) == .change(.expired(.other)))
    }

    @Test func `a commitment goes on without its plan in the catalogue, and no other one begins`() throws {
        var life = CommittedLife(at: Self.start)
        life.sell(.subscription("year", "59.99", unit: .year))
        for _ in 2...12 { #expect(try life.pay() == .usd("5.99")) }
        #expect(
            RenewalPolicy.step(life.value, life.context, at: life.value.period.end)
                == .change(.expired(.productNotAvailable)))
    }

    @Test func `a higher price is asked about in the last payment's period, and not before`() throws {
        var life = CommittedLife(at: Self.start)
        life.sell(.committed("year", month: "6.99"))
        #expect(PriceConsentPolicy.change(of: life.value, life.quote, .interactive) == nil)
        #expect(throws: StoreError.self) { try life.handle(.consentRequested) }
        for _ in 2...12 { _ = try life.pay() }
        let wanted = PriceIncrease(status: .pending, price: .usd("6.99"), formerPrice: .usd("5.99"))
        #expect(PriceConsentPolicy.change(of: life.value, life.quote, .interactive) == .priceRaised(wanted))
        // A subscriber who was not asked in time pays the former price for another commitment.
        life.consent = .interactive
        #expect(try life.pay() == .usd("5.99"))
        #expect(life.value.plan?.commitment?.price == .usd("71.88") && life.value.priceIncrease == nil)
    }

    // MARK: Changes

    private func decide(
        _ product: String, level: Int, plan: BillingPlan? = nil, _ unit: SubscriptionPeriod.Unit = .year,
        in value: StoredSubscription
    ) -> SubscriptionChangePolicy.Outcome {
        SubscriptionChangePolicy.decide(
            .init(
                product: product, level: level, length: SubscriptionPeriod(numberOfUnits: 1, unit: unit), plan: plan),
            value, now: Self.start)
    }

    @Test func `within a commitment higher service is at once, and every other change at its end`() throws {
        var life = CommittedLife(at: Self.start)
        let end = try #require(life.value.plan?.commitment?.expiresDate)
        #expect(decide("pro", level: 1, in: life.value) == .replace(.upgrade))
        #expect(decide("other", level: 2, in: life.value) == .schedule(at: end))
        #expect(decide("other", level: 2, .month, in: life.value) == .schedule(at: end))
        #expect(decide("lite", level: 3, plan: .monthly, in: life.value) == .schedule(at: end))
        #expect(decide("year", level: 2, plan: .monthly, in: life.value) == .alreadySubscribed)
        // The present product up front is another plan.
        #expect(decide("year", level: 2, in: life.value) == .schedule(at: end))
        let offer = SubscriptionChangePolicy.Wanted(
            product: "other", level: 2, length: BillingPlan.committedPeriod, takesOffer: true)
        #expect(SubscriptionChangePolicy.breaksCommitment(offer, life.value, now: Self.start))
        try life.decline()
        #expect(decide("lite", level: 3, in: life.value) == .schedule(at: end))
        _ = try life.handle(.changeScheduled(to: "lite", plan: nil, by: nil))
        #expect(life.value.renewProduct == "year" && life.value.productAfterwards == "lite")
        #expect(decide("lite", level: 3, in: life.value) == .alreadySubscribed)
        #expect(decide("lite", level: 3, plan: .monthly, in: life.value) == .schedule(at: end))
        #expect(decide("year", level: 2, plan: .monthly, in: life.value) == .revert)
        _ = try life.handle(.changeReverted(by: nil))
        #expect(!life.value.isChanged)
    }

    @Test func `a change that was chosen within a commitment is the next renewal's from its last payment on`() throws {
        var life = CommittedLife(at: Self.start)
        _ = try life.handle(.changeScheduled(to: "lite", plan: nil, by: nil))
        for _ in 2...11 { _ = try life.pay() }
        #expect(life.value.renewProduct == "year" && life.value.plan?.next == .monthly)
        _ = try life.pay()
        #expect(life.value.renewProduct == "lite" && life.value.plan?.next == .upFront)
        life.sell(.subscription("lite", "2.99"))
        #expect(try life.pay() == .usd("2.99"))
        #expect(life.value.product == "lite" && life.value.plan == nil)
    }

    // MARK: Random lives

    @Test func `two hundred random lives of a commitment`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<200 {
            var life = CommittedLife(at: Self.start)
            for _ in 0..<60 where life.value.state.isExisting {
                switch Int.random(in: 0..<12, using: &random) {
                case 0: _ = try life.handle(.autoRenewDisabled)
                case 1: _ = try life.handle(.autoRenewEnabled)
                case 2 where life.value.state == .subscribed: _ = try life.handle(.extended(days: 3))
                case 3 where life.value.willAutoRenew: try life.decline()
                default:
                    let (before, owes) = (life.value, life.value.isCommitted)
                    guard before.willAutoRenew else {
                        #expect(!owes, "a commitment is paid to its end")
                        _ = try life.handle(.expired(.cancelled))
                        break
                    }
                    let amount = try life.pay()
                    let number = before.plan?.commitment?.billingPeriodNumber ?? 0
                    #expect(life.place == (owes ? "\(number + 1)/12" : "1/12"))
                    #expect(amount == .usd("5.99"))
                }
                let commitment = try #require(life.value.plan?.commitment)
                guard life.value.state.isExisting else { break }
                #expect(life.value.isCommitted == !commitment.isLast)
                #expect(!life.value.isCommitted || life.value.willAutoRenew)
                #expect(life.value.retry.graceUntil == nil)
                if commitment.isLast { #expect(commitment.expiresDate == life.value.period.end) }
            }
        }
    }
}

/// A subscription in monthly payments, and the catalogue that it is renewed by.
private struct CommittedLife {
    var value: StoredSubscription
    var hasGrace = false
    var consent: TesterSettings.PriceConsent?
    private let catalogue = Catalogue()
    private var count = 0

    init(at start: Timestamp, rate: SubscriptionRenewalRate = .realTime) {
        value = .stored("year", level: 2, until: start)
        (value.period.index, value.rate) = (-1, rate)
        sell(.committed("year"))
        let month = BillingPlan.monthlyPeriod
        let purchase = SubscriptionPurchase(
            paid: SubscriptionPaid(
                id: "t_0", identifier: "1", product: "year", chargeKey: "p", amount: .usd("5.99"), start: start,
                end: RenewalSchedule(rate).end(of: month, from: start)),
            terms: PurchaseTerms.Subscription(
                group: "pro", level: 2, length: month, price: .usd("5.99"), accessPeriod: month, offerPeriodsLeft: 0,
                billingPlan: .monthly, rate: rate))
        var machine = SubscriptionStateMachine(value, at: start)
        _ = try? machine.handle(.bought(purchase))
        value = machine.value
    }

    func sell(_ product: Product) { catalogue.sell(product, level: 2) }

    var place: String? {
        value.plan?.commitment.map { "\($0.billingPeriodNumber)/\($0.totalBillingPeriods)" }
    }

    var quote: Quote {
        var quote = catalogue.quote(
            QuoteRequest(bundleId: Catalogue.bundleId, productIdentifier: value.renewProduct, storefront: "FRA"))
        quote.billingGracePeriod = hasGrace
        return quote
    }

    var context: RenewalPolicy.Context {
        RenewalPolicy.Context(
            quote: quote, tester: with(TesterSettings()) { $0.priceConsent = consent }, lastAmount: value.agreedPrice)
    }

    @discardableResult
    mutating func handle(_ event: SubscriptionTransition, at: Timestamp? = nil) throws -> [SubscriptionAction] {
        var machine = SubscriptionStateMachine(value, at: at ?? value.period.start)
        let actions = try machine.handle(event)
        value = machine.value
        return actions
    }

    /// The next payment is made when it is due.
    mutating func pay() throws -> Money {
        let attempt = try due()
        count += 1
        try handle(.charged(try attempt.renewal(id: "t_\(count)", identifier: "\(count + 1)")), at: attempt.at)
        return attempt.terms.amount
    }

    /// The next payment is declined when it is due.
    mutating func decline() throws {
        let attempt = try due()
        let decline = SubscriptionDecline(amount: attempt.terms.amount, reason: nil, hasGrace: attempt.hasGrace)
        try handle(.declined(decline), at: attempt.at)
    }

    private func due() throws -> RenewalAttempt {
        let at = try #require(value.dueAt)
        guard case .renew(let attempt) = RenewalPolicy.step(value, context, at: at) else {
            throw StoreError(.internal, "nothing is charged")
        }
        return attempt
    }
}
