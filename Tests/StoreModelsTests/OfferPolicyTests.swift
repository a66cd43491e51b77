import StoreModels
import Testing

/// Goal: promotional offers, win-back offers and offer codes go to exactly those they are for.
/// Method: every standing a customer can have in a group, against every policy.
@Suite struct OfferPolicyTests {
    private static let now = Timestamp(milliseconds: 1_000 * WinBackOfferPolicy.month)
    private var now: Timestamp { Self.now }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let history: SubscriptionGroupHistory?
        let status: SubscriberStatus
    }

    static let cases: [Case] = [
        Case(testDescription: "nobody", history: nil, status: .new),
        Case(testDescription: "a purchase under way", history: history(nil, reserved: true), status: .new),
        Case(testDescription: "subscribed", history: history(.subscribed, ends: 1), status: .existing(.subscribed)),
        Case(testDescription: "ends now", history: history(.subscribed, ends: 0), status: .former),
        Case(
            testDescription: "renewal due", history: history(.subscribed, ends: -1, due: true),
            status: .existing(.subscribed)),
        Case(testDescription: "grace", history: history(.inGracePeriod, ends: 1), status: .existing(.inGracePeriod)),
        Case(
            testDescription: "retry", history: history(.inBillingRetryPeriod, ends: -1),
            status: .existing(.inBillingRetryPeriod)),
        Case(testDescription: "expired", history: history(.expired, ends: -1), status: .former),
        Case(testDescription: "refunded before its end", history: history(.revoked, ends: 1), status: .former),
        Case(testDescription: "only an end is known", history: history(nil, ends: 1), status: .existing(.subscribed)),
    ]

    @Test(arguments: cases) func `M126, M127: who is an existing subscriber`(_ value: Case) {
        #expect((value.history?.status(at: now) ?? .new) == value.status)
    }

    @Test(arguments: cases) func `a promotional offer is for present and former subscribers`(_ value: Case) {
        let decision = PromotionalOfferPolicy.decide(history: value.history, now: now)
        #expect(decision.isEligible == (value.status != .new))
        #expect((decision.rule == .neverSubscribed) == (value.status == .new))
        #expect((decision.rule == .lapsed) == (value.status == .former))
    }

    @Test(arguments: cases) func `an offer code is for its audiences, and without any for all customers`(_ value: Case)
    {
        let expected: RedeemableOffer.Audience =
            switch value.status {
            case .new: .new
            case .existing: .existing
            case .former: .expired
            }
        for audience in RedeemableOffer.Audience.allCases {
            let decision = OfferCodePolicy.decide(audiences: [audience], history: value.history, now: now)
            #expect(decision.isEligible == (audience == expected))
            #expect(decision.audience == expected)
        }
        #expect(OfferCodePolicy.decide(audiences: nil, history: value.history, now: now).isEligible)
        #expect(OfferCodePolicy.decide(audiences: [], history: value.history, now: now).isEligible)
    }

    @Test(arguments: cases) func `a win-back offer is for former subscribers only`(_ value: Case) {
        let conditions = RedeemableOffer.WinBackConditions(paidMonthsMin: 0, monthsSinceExpiryMin: 0)
        let facts = WinBackFacts(history: value.history, paidMonths: 1, expiredAt: now)
        let rule = WinBackOfferPolicy.decide(conditions, facts: facts, now: now).rule
        switch value.status {
        case .new: #expect(rule == .neverSubscribed)
        case .existing: #expect(rule == .subscribed)
        case .former: #expect(rule == .conditionsMet)
        }
    }

    /// Columns: paid months, tenths of months since expiry and since the last offer, result. The offer requires 6 paid
    /// months, an expiry 2 to 24 months ago and 3 months between offers.
    @Test(
        arguments: [
            (6, 20, nil, .conditionsMet), (5, 20, nil, .tooFewPaidMonths), (6, 19, nil, .expiredTooRecently),
            (6, 249, nil, .conditionsMet), (6, 250, nil, .expiredTooLongAgo), (6, 20, 29, .offeredTooRecently),
            (6, 20, 30, .conditionsMet), (5, 19, 1, .tooFewPaidMonths),
        ] as [(Int, Int64, Int64?, WinBackOfferPolicy.Rule)])
    func `a win-back offer's conditions, at their edges`(
        paid: Int, since: Int64, last: Int64?, expected: WinBackOfferPolicy.Rule
    ) {
        let conditions = RedeemableOffer.WinBackConditions(
            paidMonthsMin: 6, monthsSinceExpiryMin: 2, monthsSinceExpiryMax: 24, monthsBetweenOffers: 3)
        func ago(_ tenths: Int64) -> Timestamp {
            Timestamp(milliseconds: now.milliseconds - tenths * WinBackOfferPolicy.month / 10)
        }
        let facts = WinBackFacts(
            history: Self.history(.expired, ends: -1), paidMonths: paid, expiredAt: ago(since),
            lastWinBackAt: last.map(ago))
        #expect(WinBackOfferPolicy.decide(conditions, facts: facts, now: now).rule == expected)
    }

    @Test func `a win-back offer without a wait is given once`() {
        let conditions = RedeemableOffer.WinBackConditions(paidMonthsMin: 0, monthsSinceExpiryMin: 0)
        let facts = WinBackFacts(
            history: Self.history(.expired, ends: -1), paidMonths: 0, expiredAt: Timestamp(milliseconds: 0),
            lastWinBackAt: Timestamp(milliseconds: 0))
        #expect(WinBackOfferPolicy.decide(conditions, facts: facts, now: now).rule == .offeredTooRecently)
    }

    @Test func `of several win-back offers the one that gives most comes first`() {
        let facts = WinBackFacts(history: Self.history(.expired, ends: -1), paidMonths: 6, expiredAt: now)
        let offers = [
            offer("cheap", .payUpFront, cents: 99, months: 1), offer("long", .payUpFront, cents: 199, months: 3),
            offer("free", .freeTrial, cents: 0, months: 1), offer("dear", .payUpFront, cents: 499, months: 1),
            offer("never", .freeTrial, cents: 0, months: 12, paidMonthsMin: 7),
        ]
        let found = WinBackOfferPolicy.eligible(offers, facts: facts, now: now)
        #expect(found.map(\.offer.identifier) == ["free", "long", "cheap", "dear"])
    }

    @Test func `months are counted by what periods are called, and rounded down`() {
        func period(_ count: Int, _ unit: SubscriptionPeriod.Unit) -> SubscriptionPeriod {
            SubscriptionPeriod(numberOfUnits: count, unit: unit)
        }
        #expect(WinBackFacts.months(of: [period(1, .year)]) == 12)
        #expect(WinBackFacts.months(of: [period(1, .month), period(2, .month), period(3, .day)]) == 3)
        #expect(WinBackFacts.months(of: Array(repeating: period(1, .week), count: 5)) == 1)
        #expect(WinBackFacts.months(of: []) == 0)
    }

    private static func history(
        _ state: SubscriptionState?, ends: Int64? = nil, reserved: Bool = false, due: Bool = false
    ) -> SubscriptionGroupHistory {
        SubscriptionGroupHistory(
            subscriptionGroupIdentifier: "g", introductoryOfferReserved: reserved,
            activeUntil: ends.map { now + .milliseconds($0) }, activeTransaction: ends.map { _ in "7" }, state: state,
            isRenewalDue: due)
    }

    private func offer(
        _ identifier: String, _ mode: ProductDiscount.PaymentMode, cents: Int64, months: Int, paidMonthsMin: Int = 6
    ) -> RedeemableOffer {
        let discount = ProductDiscount(
            identifier: identifier, type: .subscription,
            price: Money(minorUnits: cents, currency: Currency(code: "USD")!), priceLocale: "en_US@currency=USD",
            paymentMode: mode, subscriptionPeriod: SubscriptionPeriod(numberOfUnits: months, unit: .month),
            numberOfPeriods: 1)
        return RedeemableOffer(
            type: .winBack, offer: discount,
            winBack: .init(paidMonthsMin: paidMonthsMin, monthsSinceExpiryMin: 0, monthsBetweenOffers: 0))
    }
}
