import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: S1–S5 of the rules alone, over random lives of one subscription: after any actions of people, operators and
/// the processor no charge is asked for twice under another key's period, none after a cancellation, and none is
/// forgotten.
@Suite struct SubscriptionLifeTests {
    @Test func `S1, S2, S3: five hundred random lives`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<500 {
            var life = Life(grace: Bool.random(using: &random))
            for _ in 0..<60 {
                try life.step(&random)
                let flaws = life.flaws
                #expect(flaws.isEmpty)
                // Every later step would only say it again.
                if !flaws.isEmpty { return }
            }
        }
    }

    @Test func `an expired and a revoked subscription take nothing but a purchase`() throws {
        let ended: [SubscriptionState] = [.expired, .revoked]
        let decline = SubscriptionDecline(amount: .usd("9.99"), reason: nil, hasGrace: true)
        let events: [SubscriptionTransition] = [
            .declined(decline), .graceEnded, .expired(.other), .autoRenewDisabled, .autoRenewEnabled,
            .changeScheduled(to: "x", plan: nil, by: nil), .changeReverted(by: nil), .extended(days: 1),
            .renewalWillFail,
            .quarantined(SubscriptionMismatch(agreed: .usd("9.99"), charged: nil)),
        ]
        for state in ended {
            for event in events {
                var machine = SubscriptionStateMachine(
                    .stored("a", until: Timestamp(milliseconds: 1), state: state), at: Timestamp(milliseconds: 2))
                #expect(throws: StoreError.self) { try machine.handle(event) }
            }
        }
    }

    /// One subscription, and what a processor and a table of periods know of it.
    private struct Life {
        private var value = StoredSubscription.stored("a", until: Timestamp(milliseconds: 0))
        private var now = Timestamp(milliseconds: 1_800_000_000_000)
        private var periods: [SubscriptionPaid] = []
        private var numbers: [Int] = []
        private var answered: Set<String> = []
        private var captured: [Int: Int] = [:]
        private let quote: Quote
        private let hasGrace: Bool

        init(grace: Bool) {
            let catalogue = Catalogue()
            catalogue.set(billingGracePeriod: grace)
            catalogue.sell(.subscription("a"), level: 2)
            quote = catalogue.quote(
                QuoteRequest(bundleId: Catalogue.bundleId, productIdentifier: "a", storefront: "USA"))
            hasGrace = grace
            value.period.index = -1
            try? buy()
        }

        mutating func step(_ random: inout SplitMix64) throws {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<11: try due(&random)
            case 11: handle(.autoRenewDisabled)
            case 12: handle(.autoRenewEnabled)
            case 13: handle(.extended(days: Int.random(in: 1...90, using: &random)))
            case 14: handle(.renewalWillFail)
            case 15 where Int.random(in: 0..<4, using: &random) == 0: handle(.expired(.other))
            case 16 where Int.random(in: 0..<4, using: &random) == 0:
                handle(.ended(.init(ending: .refunded, period: value.period.index)))
            case 17 where !value.isQuarantined && value.willAutoRenew && value.state.isExisting:
                if let attempt = RenewalPolicy.renewal(value, context, at: now) { try charge(attempt, &random) }
            case 18 where !value.isQuarantined: try buy()
            default: move(&random)
            }
        }

        /// Time passes, but not over what is due.
        private mutating func move(_ random: inout SplitMix64) {
            let later = now + .seconds(Int.random(in: 0...40 * 86_400, using: &random))
            now = max(now, min(later, value.dueAt ?? later))
        }

        private mutating func due(_ random: inout SplitMix64) throws {
            guard let at = value.dueAt else {
                // An operator ends what is in quarantine; then the customer subscribes again.
                return value.isQuarantined ? handle(.expired(.other)) : try buy()
            }
            now = max(now, at)
            let before = value
            switch RenewalPolicy.step(value, context, at: at) {
            case .change(let change): try perform(change, at: at)
            case .renew(let attempt): try charge(attempt, &random)
            }
            #expect(value != before, "what was due has happened")
        }

        private mutating func charge(_ attempt: RenewalAttempt, _ random: inout SplitMix64) throws {
            // S3, and a definitive answer is never asked for again.
            #expect(value.willAutoRenew)
            #expect(answered.insert(attempt.chargeKey).inserted)
            value.attempt = "{}"
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<12:
                captured[attempt.period, default: 0] += 1
                try perform(.charged(try attempt.renewal(id: attempt.chargeKey, identifier: "1")), at: attempt.at)
            case 12..<19:
                let decline = SubscriptionDecline(amount: attempt.terms.amount, reason: nil, hasGrace: attempt.hasGrace)
                try perform(.declined(decline), at: attempt.at)
            default:
                try perform(
                    .quarantined(SubscriptionMismatch(agreed: attempt.terms.amount, charged: nil)), at: attempt.at)
            }
        }

        private mutating func buy() throws {
            let month = SubscriptionPeriod(numberOfUnits: 1, unit: .month)
            let end = RenewalSchedule(.realTime).end(of: month, from: now)
            try perform(
                .bought(
                    SubscriptionPurchase(
                        paid: SubscriptionPaid(
                            id: "t_\(periods.count)", identifier: "1", product: "a", chargeKey: "p",
                            amount: .usd("9.99"),
                            start: now, end: end),
                        terms: PurchaseTerms.Subscription(
                            group: "pro", level: 2, length: month, accessPeriod: month, offerPeriodsLeft: 0,
                            rate: .realTime))),
                at: now)
        }

        /// What people do; a state without such an edge refuses it. What is in quarantine is not changed but to end it.
        private mutating func handle(_ event: SubscriptionTransition) {
            if value.isQuarantined, event != .expired(.other) { return }
            try? perform(event, at: now)
        }

        private mutating func perform(_ event: SubscriptionTransition, at: Timestamp) throws {
            var machine = SubscriptionStateMachine(value, at: at)
            for action in try machine.handle(event) {
                switch action {
                case .record, .writeGroup, .askConsent, .withdrawConsent: break
                case .writePeriod(let paid, let index):
                    periods.append(paid)
                    numbers.append(index)
                case .cutPeriods(let end):
                    for index in periods.indices where periods[index].end > end {
                        periods[index].end = max(periods[index].start, end)
                    }
                case .extendPeriod(let index, let end): periods[index].end = end
                }
            }
            value = machine.value
        }

        private var context: RenewalPolicy.Context {
            RenewalPolicy.Context(quote: quote, tester: TesterSettings(), lastAmount: periods.last?.amount)
        }

        /// The rules it breaks; none in a sound life.
        var flaws: [String] {
            var flaws: [String] = []
            func require(_ rule: String, _ holds: Bool) { if !holds { flaws.append(rule) } }
            require("S1: one captured charge a period", captured.values.allSatisfy { $0 == 1 })
            require("S2: periods are numbered in order", numbers == Array(0..<periods.count))
            // One that was replaced before it began has no length.
            let lived = periods.filter { $0.start < $0.end }
            require("S2: no period over another", zip(lived, lived.dropFirst()).allSatisfy { $0.end <= $1.start })
            let isOver = !value.state.isExisting || value.isQuarantined
            require("as long as it goes on something is due", (value.dueAt == nil) == isOver)
            require("an answered charge is under way no more", value.attempt == nil || value.isQuarantined)
            require("what has ended does not renew", !value.willAutoRenew || value.state.isExisting)
            let isFailing = value.state == .inGracePeriod || value.state == .inBillingRetryPeriod
            require("who is tried again has failed", (value.retry.since != nil) == isFailing)
            require("grace where there is grace", (value.retry.graceUntil != nil) == (value.state == .inGracePeriod))
            require("grace where the app gives it", hasGrace || value.retry.graceUntil == nil)
            if let since = value.retry.since, let due = value.dueAt {
                let last = BillingRetryPolicy(since: since, length: RenewalSchedule(.realTime).retry).end
                require("sixty days of retries", due <= last)
            }
            return flaws
        }
    }
}
