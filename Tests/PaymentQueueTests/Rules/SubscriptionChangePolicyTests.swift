import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: what buying in a group does, as one truth table (S6).
@Suite struct SubscriptionChangePolicyTests {
    private typealias Outcome = SubscriptionChangePolicy.Outcome
    private static let now = Timestamp(milliseconds: 1_000_000)
    private static let end = Timestamp(milliseconds: 2_000_000)

    private func decide(
        _ product: String, level: Int, _ unit: SubscriptionPeriod.Unit = .month, count: Int = 1,
        takesOffer: Bool = false, in subscription: StoredSubscription?
    ) -> Outcome {
        SubscriptionChangePolicy.decide(
            .init(
                product: product, level: level, length: SubscriptionPeriod(numberOfUnits: count, unit: unit),
                takesOffer: takesOffer), subscription, now: Self.now)
    }

    private var active: StoredSubscription { .stored("basic", level: 2, until: Self.end) }

    @Test func `without an active subscription every product is an ordinary purchase`() {
        #expect(decide("pro", level: 1, in: nil) == .begin)
        for state in [SubscriptionState.expired, .revoked] {
            let over = StoredSubscription.stored("pro", until: Self.end, state: state)
            for product in ["pro", "other"] { #expect(decide(product, level: 1, in: over) == .begin) }
        }
        let cancelled = StoredSubscription.stored("pro", until: Self.now, willAutoRenew: false)
        #expect(decide("pro", level: 1, in: cancelled) == .begin)
    }

    @Test func `higher service is at once, at any length`() {
        for unit in SubscriptionPeriod.Unit.allCases {
            #expect(decide("pro", level: 1, unit, in: active) == .replace(.upgrade))
        }
    }

    @Test func `the same level is at once for the same length, and else with the next renewal`() {
        #expect(decide("other", level: 2, in: active) == .replace(.crossgrade))
        #expect(decide("other", level: 2, .year, in: active) == .schedule(at: Self.end))
        #expect(decide("other", level: 2, .month, count: 12, in: active) == .schedule(at: Self.end))
        let yearly = StoredSubscription.stored("basic", level: 2, unit: .year, until: Self.end)
        #expect(decide("other", level: 2, .month, count: 12, in: yearly) == .replace(.crossgrade))
        let weekly = StoredSubscription.stored("basic", level: 2, unit: .week, until: Self.end)
        #expect(decide("other", level: 2, .day, count: 7, in: weekly) == .replace(.crossgrade))
    }

    @Test func `lower service is with the next renewal, also after auto-renew was turned off`() {
        for unit in SubscriptionPeriod.Unit.allCases {
            #expect(decide("lite", level: 3, unit, in: active) == .schedule(at: Self.end))
        }
        let cancelled = StoredSubscription.stored("basic", level: 2, until: Self.end, willAutoRenew: false)
        #expect(decide("lite", level: 3, in: cancelled) == .schedule(at: Self.end))
    }

    @Test func `the present product is 3532, and changes back where a change is scheduled`() {
        #expect(decide("basic", level: 2, in: active) == .alreadySubscribed)
        let scheduled = StoredSubscription.stored("basic", level: 2, until: Self.end, renewProduct: "lite")
        #expect(decide("basic", level: 2, in: scheduled) == .revert)
        #expect(decide("lite", level: 3, in: scheduled) == .alreadySubscribed)
        #expect(decide("tiny", level: 4, in: scheduled) == .schedule(at: Self.end))
        #expect(decide("pro", level: 1, in: scheduled) == .replace(.upgrade))
        var cancelled = scheduled
        cancelled.willAutoRenew = false
        #expect(decide("basic", level: 2, in: cancelled) == .alreadySubscribed)
        #expect(decide("lite", level: 3, in: cancelled) == .schedule(at: Self.end))
    }

    @Test func `M127: in grace and billing retry other products are at once, there is no period left to wait for`() {
        for state in [SubscriptionState.inGracePeriod, .inBillingRetryPeriod] {
            var late = StoredSubscription.stored("basic", level: 2, until: Self.now, state: state)
            late.dueAt = Self.end
            #expect(decide("pro", level: 1, in: late) == .replace(.upgrade))
            #expect(decide("other", level: 2, .year, in: late) == .replace(.crossgrade))
            #expect(decide("lite", level: 3, in: late) == .replace(.downgrade))
            #expect(decide("basic", level: 2, in: late) == .alreadySubscribed)
        }
    }

    @Test func `an offer is at once for every product, the present one too`() {
        #expect(decide("basic", level: 2, takesOffer: true, in: active) == .replace(.crossgrade))
        #expect(decide("lite", level: 3, takesOffer: true, in: active) == .replace(.downgrade))
        #expect(decide("pro", level: 1, takesOffer: true, in: active) == .replace(.upgrade))
        #expect(decide("pro", level: 1, takesOffer: true, in: nil) == .begin)
    }
}
