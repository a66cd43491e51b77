import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a renewal that is declined is tried for sixty days, with or without grace, and recovered as Apple says.
@Suite(.serialized) struct BillingRetryTests {
    /// A subscriber since 1 March 2027, whose charges are declined from now on.
    private func withDeclined(
        _ engine: Engine, grace: Bool, _ product: String = "basic.monthly",
        _ body: (TestStore, CustomerApp, String) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.set(billingGracePeriod: grace)
            store.catalogue.sell(.subscription("basic.monthly"), level: 2)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe(product)
            store.processor.set(outcome: .declined)
            try await body(store, alice, original)
        }
    }

    @Test(arguments: Engine.allCases) func `without grace: ten tries in sixty days, then it expires`(_ engine: Engine)
        async throws
    {
        try await withDeclined(engine, grace: false) { store, alice, original in
            try await store.jump(by: "1y")
            #expect(
                try await store.lines(original) == [
                    "2027-03-01 subscribed 9.99", "2027-04-01 billingFailed 9.99", "2027-04-01 billingRetryStarted",
                    "2027-04-02 billingFailed 9.99", "2027-04-03 billingFailed 9.99", "2027-04-04 billingFailed 9.99",
                    "2027-04-06 billingFailed 9.99", "2027-04-09 billingFailed 9.99", "2027-04-14 billingFailed 9.99",
                    "2027-04-22 billingFailed 9.99", "2027-05-05 billingFailed 9.99", "2027-05-16 billingFailed 9.99",
                    "2027-05-31 billingFailed 9.99", "2027-05-31 expired",
                ])
            let ended = try await alice.subscription()
            #expect(ended.state == .expired)
            #expect(ended.expirationReason == .billingError)
            #expect(ended.willAutoRenew == false)
            #expect(ended.expiresDate == TestStore.instant("2027-04-01"))
            // Each try has a key of its own, and nothing was taken.
            let keys = try await store.charges().map(\.chargeKey).filter { $0.hasPrefix("renew:") }
            let renewal = try await store.renewalKey(original)
            #expect(keys == ["\(renewal):1"] + (2...11).map { "\(renewal):1:\($0)" })
            #expect(try await store.renewals().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `with grace: access for sixteen days, then retries, then the end`(
        _ engine: Engine
    ) async throws {
        try await withDeclined(engine, grace: true) { store, alice, original in
            try await store.jump(to: "2027-04-01")
            let grace = try await alice.subscription()
            #expect(grace.state == .inGracePeriod)
            #expect(grace.gracePeriodExpiresDate == TestStore.instant("2027-04-17"))
            #expect(grace.nextRetryDate == nil, "the customer is not told")
            #expect(try await store.retries() == ["2027-04-02", "2027-05-31"])
            // The last try of the grace period is on 14 April, the next one in billing retry.
            try await store.jump(to: "2027-04-15")
            #expect(try await store.retries() == ["2027-04-22", "2027-05-31"])
            try await store.jump(to: "2027-04-17")
            #expect(try await alice.subscription().state == .inBillingRetryPeriod)
            #expect(try await store.retries() == ["2027-04-22", "2027-05-31"])
            try await store.jump(to: "2027-05-16")
            #expect(try await store.retries() == ["2027-05-31", "2027-05-31"])
            try await store.jump(to: "2027-05-17")
            #expect(
                try await store.lines(original).filter { !$0.contains("billingFailed") } == [
                    "2027-03-01 subscribed 9.99", "2027-04-01 gracePeriodStarted", "2027-04-17 gracePeriodExpired",
                    "2027-04-17 billingRetryStarted",
                ])
            try await store.jump(by: "60d")
            #expect(try await store.lines(original).last == "2027-05-31 expired")
            #expect(try await store.retries().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `a weekly subscription has six days of grace`(_ engine: Engine) async throws
    {
        try await withDeclined(engine, grace: true, "news.weekly") { store, alice, _ in
            try await store.jump(to: "2027-03-08")
            #expect(try await alice.subscription().gracePeriodExpiresDate == TestStore.instant("2027-03-14"))
        }
    }

    @Test(arguments: Engine.allCases) func `recovered in grace the billing date stays, later it moves`(_ engine: Engine)
        async throws
    {
        try await withDeclined(engine, grace: true) { store, alice, original in
            try await store.jump(to: "2027-04-04")
            store.processor.set(outcome: .approved)
            try await store.jump(to: "2027-04-07")
            #expect(try await store.lines(original).last == "2027-04-06 recovered 9.99")
            let kept = try await alice.subscription()
            #expect(kept.state == .subscribed)
            #expect(kept.purchaseDate == TestStore.instant("2027-04-01"))
            #expect(kept.expiresDate == TestStore.instant("2027-05-01"))
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-05-20")
            store.processor.set(outcome: .approved)
            try await store.jump(to: "2027-05-23")
            #expect(try await store.lines(original).last == "2027-05-22 recovered 9.99")
            let moved = try await alice.subscription()
            #expect(moved.purchaseDate == TestStore.instant("2027-05-22"))
            #expect(moved.expiresDate == TestStore.instant("2027-06-22"))
            try await store.jump(next: 1)
            #expect(try await store.lines(original).last == "2027-06-22 renewed 9.99")
            #expect(try await store.renewals().count == 3)
        }
    }

    @Test(arguments: Engine.allCases) func `M126, M127: in grace and in retry no customer is a new subscriber`(
        _ engine: Engine
    ) async throws {
        try await withDeclined(engine, grace: true) { store, alice, _ in
            store.catalogue.sell(
                .subscription("pro.monthly", intro: .discount(.freeTrial, "0.00", 1, .week, periods: 2)), level: 1)
            for day in ["2027-04-02", "2027-04-20"] {
                try await store.jump(to: day)
                let histories = try await alice.offers()
                #expect(histories.count == 1)
                let decision = IntroductoryOfferPolicy.decide(history: histories.first, now: TestStore.instant(day))
                #expect(decision.eligibility == .ineligible)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `an operator resolves it at once, under a new key`(_ engine: Engine)
        async throws
    {
        try await withDeclined(engine, grace: false) { store, alice, original in
            try await store.jump(to: "2027-04-04")
            let still = try await store.operate(original, .resolveBilling)
            #expect(still.subscription.state == .inBillingRetryPeriod)
            #expect(still.transaction == nil)
            store.processor.set(outcome: .approved)
            let reply = try await store.operate(original, .resolveBilling)
            #expect(reply.subscription.state == .subscribed)
            #expect(reply.transaction?.transactionState == .purchased)
            #expect(reply.transaction?.expiresDate == TestStore.instant("2027-05-04"))
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == ["\(renewal):1:6"])
            #expect(try await alice.snapshot().transactions.last?.id == reply.transaction?.id)
        }
    }

    @Test(arguments: Engine.allCases) func `S3: cancelled in retry it ends, cancelled in grace it ends with the grace`(
        _ engine: Engine
    ) async throws {
        try await withDeclined(engine, grace: true) { store, alice, original in
            try await store.jump(to: "2027-04-02")
            #expect(try await alice.update(original, renews: false).state == .inGracePeriod)
            store.processor.set(outcome: .approved)
            try await store.jump(to: "2027-05-01")
            #expect(try await store.lines(original).last == "2027-04-17 expired")
            #expect(try await alice.subscription().expirationReason == .cancelled)
            #expect(try await store.renewals().isEmpty)
            let bob = try await store.customerApp("bob")
            store.catalogue.set(billingGracePeriod: false)
            let other = try await bob.subscribe("news.weekly")
            store.processor.set(outcome: .declined)
            try await store.jump(next: 1)
            #expect(try await bob.subscription().state == .inBillingRetryPeriod)
            #expect(try await bob.update(other, renews: false).state == .expired)
        }
    }

    @Test(arguments: Engine.allCases) func `the next renewal fails because an operator wants it`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            try await store.operate(original, .failNextRenewal)
            try await store.jump(next: 1)
            #expect(store.processor.wishes.last == .some(.decline))
        }
    }
}
