import StoreModels
import Testing

/// The truth table of introductory offers, over the history PaymentQueue stores of a group (M119–M129).
@Suite struct IntroductoryOfferPolicyTests {
    private let now = Timestamp(milliseconds: 1_000_000)
    private func history(
        used: String? = nil, reserved: Bool = false, activeUntil: Int64? = nil
    ) -> SubscriptionGroupHistory {
        SubscriptionGroupHistory(
            subscriptionGroupIdentifier: "g", introductoryOfferTransaction: used, introductoryOfferReserved: reserved,
            activeUntil: activeUntil.map(Timestamp.init(milliseconds:)), activeTransaction: activeUntil.map { _ in "7" }
        )
    }

    @Test func `M124: a new subscriber is eligible`() {
        #expect(IntroductoryOfferPolicy.decide(history: nil, now: now).eligibility == .eligible)
        #expect(IntroductoryOfferPolicy.decide(history: history(), now: now).rule == .newSubscriber)
    }

    @Test func `M121, M125: a customer who used an offer in the group is ineligible, lapsed or not`() {
        for activeUntil in [nil, 0, 2_000_000] as [Int64?] {
            let decision = IntroductoryOfferPolicy.decide(
                history: history(used: "3", activeUntil: activeUntil), now: now)
            #expect(decision.eligibility == .ineligible)
            #expect(decision.rule == .offerUsed)
            #expect(decision.transactionIdentifier == "3")
        }
    }

    @Test func `M125: a lapsed subscriber who never used one is eligible`() {
        let decision = IntroductoryOfferPolicy.decide(history: history(activeUntil: 999_999), now: now)
        #expect(decision.eligibility == .eligible)
        #expect(decision.rule == .lapsedWithoutOffer)
    }

    @Test func `M126: an existing subscriber is ineligible until the very end of the period`() {
        #expect(IntroductoryOfferPolicy.decide(history: history(activeUntil: 1_000_001), now: now).rule == .subscribed)
        #expect(
            IntroductoryOfferPolicy.decide(history: history(activeUntil: 1_000_000), now: now).eligibility == .eligible)
    }

    @Test func `M134: an offer that a payment in flight holds counts as used`() {
        #expect(IntroductoryOfferPolicy.decide(history: history(reserved: true), now: now).rule == .offerReserved)
    }

    @Test(arguments: [
        (SubscriptionState.inGracePeriod, IntroductoryOfferPolicy.Rule.inGracePeriod),
        (.inBillingRetryPeriod, .inBillingRetryPeriod), (.subscribed, .lapsedWithoutOffer),
        (.expired, .lapsedWithoutOffer), (.revoked, .lapsedWithoutOffer),
    ])
    func `M127: grace and billing retry make a subscriber although the period has ended`(
        state: SubscriptionState, rule: IntroductoryOfferPolicy.Rule
    ) {
        var ended = history(activeUntil: 1)
        ended.state = state
        let decision = IntroductoryOfferPolicy.decide(history: ended, now: now)
        #expect(decision.rule == rule)
        #expect(decision.transactionIdentifier == "7")
    }

    @Test func `M126: a renewal not yet made makes no customer a former subscriber`() {
        var late = history(activeUntil: 1)
        late.state = .subscribed
        late.isRenewalDue = true
        #expect(IntroductoryOfferPolicy.decide(history: late, now: now).rule == .subscribed)
    }

    @Test func `M128: a refund ends the subscription and gives no offer back`() {
        var refunded = history(used: "3", activeUntil: 2_000_000)
        refunded.state = .revoked
        #expect(IntroductoryOfferPolicy.decide(history: refunded, now: now).rule == .offerUsed)
        refunded.introductoryOfferTransaction = nil
        #expect(IntroductoryOfferPolicy.decide(history: refunded, now: now).eligibility == .eligible)
    }
}
