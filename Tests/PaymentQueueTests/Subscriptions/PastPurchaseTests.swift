import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a purchase that is dated back has had its history when it is answered, and nobody else's clock has moved.
@Suite(.serialized) struct PastPurchaseTests {
    /// A store whose clock stands at the first of April 2027.
    private func withStore(
        _ engine: Engine, grace: Bool = false, _ body: (TestStore, CustomerApp) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-04-01", frozen: true)
            store.catalogue.set(billingGracePeriod: grace)
            store.processor.set(grantsWishes: true)
            try await body(store, try await store.customerApp())
        }
    }

    private func past(
        _ due: PastPurchase.Due = .periodEnd, at: String = "2027-04-01", price: Money? = nil, renews: Bool? = nil
    ) -> PastPurchase {
        PastPurchase(due: due, at: TestStore.instant(at), price: price, willAutoRenew: renews)
    }

    @Test(arguments: Engine.allCases) func `it is dated so that its period ends, and has renewed when it is answered`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let bought = try await alice.add("basic.monthly", past: past())
            #expect(bought.transaction.transactionDate == TestStore.instant("2027-03-01"))
            #expect(bought.transaction.expiresDate == TestStore.instant("2027-04-01"))
            // At the regular price, although the customer is new.
            #expect(bought.transaction.price == .usd("9.99"))
            #expect(
                try await store.lines(try #require(bought.transaction.transactionIdentifier)) == [
                    "2027-03-01 subscribed 9.99", "2027-04-01 renewed 9.99",
                ])
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2027-05-01"))
            #expect(try await store.clockState().now == TestStore.instant("2027-04-01"))
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases) func `a free one ends in its first commit, and has renewed when it is answered`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let free = with(ProductDiscount.discount(.freeTrial, "0.00", 1, .month)) {
                ($0.identifier, $0.type) = ("FREE", .subscription)
            }
            store.catalogue.sell(
                .subscription("star.monthly", group: "star"), level: 1,
                redeemable: [RedeemableOffer(type: .code, offer: free, audiences: [.new])])
            let bought = try await alice.add(
                "star.monthly", past: past(), redeeming: RedeemedOffer(type: .code, identifier: "FREE"))
            #expect(bought.transaction.price == .usd("0.00"))
            #expect(bought.transaction.transactionDate == TestStore.instant("2027-03-01"))
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2027-05-01"))
            #expect(try await store.charges().map(\.amount) == [.usd("9.99")])
            #expect(try await store.renewals().map(\.amount) == [.usd("9.99")])
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases) func `bought at a date, it has renewed since`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let bought = try await alice.add("basic.monthly", past: past(.purchase, at: "2027-01-15"))
            #expect(
                try await store.lines(try #require(bought.transaction.transactionIdentifier)) == [
                    "2027-01-15 subscribed 9.99", "2027-02-15 renewed 9.99", "2027-03-15 renewed 9.99",
                ])
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2027-04-15"))
            let bob = try await store.customerApp("bob")
            let ahead = try await bob.add("basic.monthly", past: past(.purchase, at: "2027-05-01"))
            #expect(ahead.transaction.transactionDate == TestStore.instant("2027-04-01"), "no purchase is dated ahead")
            try await store.checkSubscriptions()
        }
    }

    @Test func `renewal turned off at once, it has expired`() async throws {
        try await withStore(.sqlite) { store, alice in
            let bought = try await alice.add("news.weekly", past: past(renews: false))
            #expect(
                try await store.lines(try #require(bought.transaction.transactionIdentifier)) == [
                    "2027-03-25 subscribed 9.99", "2027-03-25 autoRenewDisabled", "2027-04-01 expired",
                ])
            #expect(try await alice.subscription().expirationReason == .cancelled)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `paid then and declined since: the grace period, or the last retry, ends now`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine, grace: true) { store, alice in
            try await store.set("alice", TesterSettings(processor: .decline))
            let grace = try await alice.add("basic.monthly", past: past(.gracePeriodEnd))
            #expect(grace.transaction.transactionState == .purchased)
            #expect(grace.transaction.transactionDate == TestStore.instant("2027-02-16"))
            #expect(try await alice.subscription().state == .inBillingRetryPeriod)
            let lines = try await store.lines(try #require(grace.transaction.transactionIdentifier))
            #expect(Array(lines.suffix(2)) == ["2027-04-01 gracePeriodExpired", "2027-04-01 billingRetryStarted"])
            try await store.set(
                "bob", with(TesterSettings(processor: .decline)) { $0.billingGracePeriod = false })
            let bob = try await store.customerApp("bob")
            let retried = try await bob.add("basic.monthly", past: past(.billingRetryEnd))
            #expect(retried.transaction.expiresDate == TestStore.instant("2027-01-31"))
            #expect(try await bob.subscription().state == .expired)
            #expect(try await bob.subscription().expirationReason == .billingError)
            let failures = try await store.lines(try #require(retried.transaction.transactionIdentifier))
            // The account's own setting stands above the app's: no access after the first decline.
            #expect(failures.contains("2027-01-31 billingRetryStarted"))
            #expect(failures.last == "2027-04-01 expired")
        }
    }

    @Test func `bought cheaper, a renewal at today's price is an increase`() async throws {
        try await withStore(.sqlite) { store, alice in
            _ = try await alice.add("basic.monthly", past: past(price: .usd("4.99")))
            #expect(
                try await store.notified() == [
                    "2027-03-01 SUBSCRIBED.INITIAL_BUY basic.monthly",
                    "2027-04-01 PRICE_INCREASE.ACCEPTED basic.monthly",
                    "2027-04-01 DID_RENEW basic.monthly",
                ])
            try await store.set("bob", with(TesterSettings()) { $0.priceConsent = .decline })
            let bob = try await store.customerApp("bob")
            _ = try await bob.add("basic.monthly", past: past(price: .usd("4.99")))
            #expect(try await bob.subscription().expirationReason == .priceIncreaseRefused)
            try await store.set("carol", with(TesterSettings()) { $0.priceConsent = .interactive })
            let carol = try await store.customerApp("carol")
            _ = try await carol.add("basic.monthly", past: past(at: "2027-04-02", price: .usd("4.99")))
            // Asked when it is answered, not with the next sweep.
            #expect(try await carol.subscription().priceIncrease?.status == .pending)
        }
    }

    @Test func `nobody is asked for it, whatever the account's settings say`() async throws {
        try await withStore(.sqlite) { store, alice in
            try await store.set("alice", TesterSettings(askToBuy: true, sheet: .cancel, processor: .decline))
            let bought = try await alice.add("pro.yearly", past: past(at: "2027-06-01"))
            #expect(bought.transaction.transactionState == .purchased)
            #expect(bought.transaction.transactionDate == TestStore.instant("2026-06-01"))
            // No purchase is dated ahead.
            let week = try await alice.add("news.weekly", past: past(at: "2027-06-01"))
            #expect(week.transaction.transactionDate == TestStore.instant("2027-04-01"))
        }
    }

    @Test(arguments: Engine.allCases) func `only a first subscription is dated back, at a price of its currency`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("basic.monthly")
            let second = try await refusal { try await alice.add("pro.monthly", past: past()) }
            #expect(second?.code == .transactionStateInvalid)
            let coins = try await refusal { try await alice.add("coins", past: past()) }
            #expect(coins?.code == .requestInvalid)
            let yen = try #require(Currency(code: "JPY"))
            let foreign = try await refusal {
                try await alice.add("news.weekly", past: past(price: Money(minorUnits: 100, currency: yen)))
            }
            #expect(foreign?.details["path"] == .string("$.past.price"))
            #expect(try await alice.subscriptions().count == 1)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test func `a period begins as late as the calendar allows`() {
        let month = SubscriptionPeriod(numberOfUnits: 1, unit: .month)
        let schedule = RenewalSchedule(.realTime)
        for (end, start) in [("2027-04-30", "2027-03-31T23:59:59.999Z"), ("2027-04-01", "2027-03-01T10:00:00.000Z")] {
            #expect(
                schedule.start(of: month, .periodEnd, at: TestStore.instant(end))
                    <= TestStore.instant(start))
            let begun = schedule.start(of: month, .periodEnd, at: TestStore.instant(end))
            #expect(schedule.end(of: month, from: begun) <= TestStore.instant(end))
            let later = Timestamp(milliseconds: begun.milliseconds + 1)
            #expect(schedule.end(of: month, from: later) > TestStore.instant(end))
        }
        for rate in SubscriptionRenewalRate.allCases {
            let now = TestStore.instant("2027-04-01")
            let schedule = RenewalSchedule(rate)
            #expect(schedule.start(of: month, .purchase, at: now) == now)
            let waits: [(PastPurchase.Due, Int64)] = [
                (.periodEnd, 0), (.gracePeriodEnd, schedule.grace(of: month)), (.billingRetryEnd, schedule.retry),
            ]
            for (due, wait) in waits {
                let end = schedule.end(of: month, from: schedule.start(of: month, due, at: now))
                #expect(end.milliseconds + wait == now.milliseconds || rate == .realTime, "\(rate) \(due)")
            }
        }
    }

    @Test func `a mass extension of one subscription leaves the others alone`() async throws {
        try await withStore(.sqlite) { store, alice in
            let original = try await alice.subscribe("pro.yearly")
            let bob = try await store.customerApp("bob")
            _ = try await bob.subscribe("pro.yearly")
            let before = try await bob.subscription()
            var request = ExtendSubscriptionsRequest(
                bundleId: Catalogue.bundleId, productIdentifier: "pro.yearly", days: 7, requestIdentifier: "one")
            request.only = original
            let made = try await store.caller.call(ServerAPIEndpoints.extendAll, request)
            #expect(made.succeededCount == 1)
            #expect(made.failedCount == 0)
            #expect(made.completedAt != nil)
            #expect(try await bob.subscription() == before)
            #expect(try await alice.subscription().expiresDate > before.expiresDate)
        }
    }

    @Test func `an operator expires a subscription for any reason`() async throws {
        for reason in Subscription.ExpirationReason.allCases {
            try await withStore(.sqlite) { store, alice in
                let original = try await alice.subscribe("basic.monthly")
                let reply = try await store.caller.call(
                    SubscriptionEndpoints.operate,
                    OperateSubscriptionRequest(
                        ScopedIdentifier(original, in: .installation), operation: .expire, reason: reason))
                #expect(reply.subscription.expirationReason == reason)
                let wrong = try await refusal {
                    try await store.caller.call(
                        SubscriptionEndpoints.operate,
                        OperateSubscriptionRequest(
                            ScopedIdentifier(original, in: .installation), operation: .renew, reason: reason))
                }
                #expect(wrong?.details["path"] == .string("$.reason"))
            }
        }
    }
}

extension CustomerApp {
    fileprivate func add(
        _ product: String, past: PastPurchase, redeeming redeemed: RedeemedOffer? = nil
    ) async throws -> AddPaymentReply {
        var request = AddPaymentRequest(
            bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device,
            payment: Payment(requestIdentifier: "past-\(product)", productIdentifier: product))
        (request.past, request.redeemedOffer) = (past, redeemed)
        return try await store.caller.call(
            PaymentEndpoints.addPayment, request, context: CallContext(deadline: .now + .seconds(60)))
    }
}
