import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what customers and operators do to a subscription between its boundaries.
@Suite(.serialized) struct SubscriptionOperationTests {
    private func withSubscriber(
        _ engine: Engine, _ product: String = "basic.monthly",
        _ body: (TestStore, CustomerApp, String) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            store.catalogue.sell(.subscription("basic.monthly"), level: 2)
            let alice = try await store.customerApp()
            try await body(store, alice, try await alice.subscribe(product))
        }
    }

    @Test(arguments: Engine.allCases) func `S3: cancelled before the boundary it is not charged after it`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, alice, original in
            #expect(try await alice.update(original, renews: false).willAutoRenew == false)
            try await alice.update(original, renews: false)
            try await store.jump(by: "1y")
            #expect(
                try await store.lines(original) == [
                    "2027-01-31 subscribed 9.99", "2027-01-31 autoRenewDisabled", "2027-02-28 expired",
                ])
            #expect(try await store.charges().count == 1)
            let ended = try await alice.subscription()
            #expect(ended.expirationReason == .cancelled)
            #expect(ended.renewalPrice == nil)
            #expect(
                try await refusal { try await alice.update(original, renews: true) }?.code == .transactionStateInvalid)
            // Bought again it goes on under its own name.
            #expect(try await alice.subscribe("basic.monthly", key: "again") == original)
            #expect(try await store.lines(original).last == "2028-01-31 resubscribed 9.99")
            #expect(try await alice.subscription().period == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `under a tester's rate it ends after twelve renewals, and says so`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            try await store.set("alice", TesterSettings(subscriptionRenewalRate: .monthlyRenewalEveryThirtySeconds))
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            try await store.jump(by: "1d")
            let events = try await store.timeline(original).events
            #expect(events.count { $0.kind == .renewed } == 12)
            #expect(events.last?.kind == .expired)
            #expect(
                events.last?.detail
                    == "12 renewals under rate monthlyRenewalEveryThirtySeconds, as in Apple's sandbox")
        }
    }

    @Test(arguments: Engine.allCases) func `turned off and on again it renews`(_ engine: Engine) async throws {
        try await withSubscriber(engine) { store, alice, original in
            try await alice.update(original, renews: false)
            let on = try await alice.update(original, renews: true)
            #expect(on.willAutoRenew)
            #expect(on.renewalPrice == .usd("9.99"))
            try await store.jump(next: 1)
            #expect(try await store.lines(original).last == "2027-02-28 renewed 9.99")
        }
    }

    @Test(arguments: Engine.allCases) func `P11: no other customer's, and no product of another group`(_ engine: Engine)
        async throws
    {
        try await withSubscriber(engine) { store, alice, original in
            let bob = try await store.customerApp("bob")
            #expect(try await refusal { try await bob.update(original, renews: false) }?.code == .notFound)
            #expect(
                try await refusal { try await alice.update(original, product: "news.weekly") }?.code
                    == .productNotFound)
            #expect(try await refusal { try await alice.update(original, product: "none") }?.code == .productNotFound)
            let upgrade = try await refusal { try await alice.update(original, product: "pro.monthly") }
            #expect(upgrade?.code == .requestInvalid)
            #expect(try await bob.subscriptions().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `another length is for the next renewal, and may be taken back`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, alice, original in
            store.catalogue.sell(.subscription("basic.yearly", "79.99", unit: .year), level: 2)
            let scheduled = try await alice.update(original, product: "basic.yearly")
            #expect(scheduled.autoRenewProductIdentifier == "basic.yearly")
            #expect(scheduled.productIdentifier == "basic.monthly")
            #expect(scheduled.renewalPrice == .usd("79.99"))
            #expect(try await alice.update(original, product: "basic.monthly").renewalPrice == .usd("9.99"))
            try await alice.update(original, product: "basic.yearly")
            try await store.jump(next: 1)
            #expect(try await store.lines(original).last == "2027-02-28 renewed 79.99")
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2028-02-28"))
            #expect(try await alice.history().transactions.last?.payment.productIdentifier == "basic.yearly")
        }
    }

    @Test(arguments: Engine.allCases) func `renewed early, the periods stay contiguous`(_ engine: Engine) async throws {
        try await withSubscriber(engine) { store, alice, original in
            try await store.jump(by: "3d")
            let reply = try await store.operate(original, .renew)
            let value = try #require(reply.transaction)
            #expect(value.transactionDate == TestStore.instant("2027-02-03"))
            #expect(value.expiresDate == TestStore.instant("2027-03-31"))
            #expect(reply.subscription.purchaseDate == TestStore.instant("2027-02-28"))
            #expect(reply.subscription.account == "alice")
            try await store.jump(to: "2027-03-30")
            #expect(try await store.renewals().count == 1)
            #expect(try await alice.snapshot().transactions.map(\.id).last == value.id)
        }
    }

    @Test(arguments: Engine.allCases) func `P10: upgraded after an early renewal, the rest of both periods goes back`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, alice, original in
            try await store.jump(by: "14d")
            try await store.operate(original, .renew)
            #expect(try await alice.subscribe("pro.monthly", key: "upgrade") == original)
            try await store.settleRefunds()
            let charges = try await store.charges()
            let renewal = try await store.renewalKey(original)
            #expect(charges.map(\.chargeKey).filter { $0.hasPrefix("renew:") } == ["\(renewal):1"])
            // Half of the period that was running, and all of the one that was to come.
            let back = try await store.refunds()
            #expect(back.first { $0.chargeKey == "\(renewal):1" }?.amount == .usd("9.99"))
            #expect(back.first { $0.chargeKey.hasPrefix("purchase:") }?.amount == .usd("4.99"))
            #expect(back.count == 2)
            #expect(try await alice.subscription().expiresDate == TestStore.instant("2027-03-14"))
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases) func `S3: an early renewal that is declined leaves the period alone`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, _, original in
            let sound = try await refusal { try await store.operate(original, .resolveBilling) }
            #expect(sound?.message.contains("its last charge did not fail") == true)
            store.processor.set(outcome: .declined)
            let reply = try await store.operate(original, .renew)
            #expect(reply.transaction == nil)
            #expect(reply.subscription.state == .subscribed)
            store.processor.set(outcome: .approved)
            try await store.jump(next: 1)
            #expect(try await store.lines(original).last == "2027-02-28 renewed 9.99")
            let renewal = try await store.renewalKey(original)
            #expect(try await store.renewals().map(\.chargeKey) == ["\(renewal):1:2"])
        }
    }

    @Test(arguments: Engine.allCases) func `forced to renew, the present period ends and the next one begins`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, alice, original in
            try await store.jump(by: "3d")
            try await alice.update(original, renews: false)
            let reply = try await store.operate(original, .forceRenewal)
            #expect(reply.subscription.state == .subscribed)
            #expect(reply.subscription.willAutoRenew)
            #expect(reply.subscription.purchaseDate == TestStore.instant("2027-02-03"))
            #expect(reply.subscription.expiresDate == TestStore.instant("2027-03-03"))
            let bought = try await alice.history().transactions
            #expect(bought.map(\.expiresDate) == [TestStore.instant("2027-02-03"), TestStore.instant("2027-03-03")])
            try await store.jump(next: 1)
            #expect(try await store.lines(original).last == "2027-03-03 renewed 9.99")
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases) func `renewed early, it is not forced to renew before the paid period begins`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, _, original in
            try await store.jump(by: "3d")
            let renewed = try await store.operate(original, .renew).subscription
            #expect(
                try await refusal { try await store.operate(original, .forceRenewal) }?.code == .transactionStateInvalid
            )
            #expect(try await store.operate(original, .enableAutoRenew).subscription.expiresDate == renewed.expiresDate)
            try await store.checkSubscriptions()
        }
    }

    @Test(arguments: Engine.allCases) func `forced to renew while renewals fail, it is in billing retry at once`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, alice, original in
            try await store.set("alice", with(TesterSettings(billingGracePeriod: false)) { $0.failRenewals = true })
            try await store.jump(by: "3d")
            store.processor.set(outcome: .declined)
            let reply = try await store.operate(original, .forceRenewal)
            #expect(store.processor.wishes.last == .some(.decline))
            #expect(reply.subscription.state == .inBillingRetryPeriod)
            #expect(reply.subscription.expiresDate == TestStore.instant("2027-02-03"))
            #expect(
                try await refusal { try await store.operate(original, .forceRenewal) }?.code == .transactionStateInvalid
            )
            #expect(try await alice.subscription().willAutoRenew)
        }
    }

    @Test(arguments: Engine.allCases, [true, false])
    func `asked to agree to a price that has not risen, without an answer it ends with its period`(
        _ engine: Engine, agrees: Bool
    ) async throws {
        try await withSubscriber(engine) { store, alice, original in
            let reply = try await store.operate(original, .requestPriceConsent)
            #expect(reply.subscription.priceIncrease?.status == .pending)
            if agrees {
                let prompt = try #require(try await store.prompts().prompts.first)
                #expect(prompt.kind == .priceConsent)
                _ = try await store.answer(prompt.id, .approve)
            }
            try await store.jump(next: 1)
            let after = try await alice.subscription()
            #expect(after.state == (agrees ? .subscribed : .expired))
            #expect(after.expirationReason == (agrees ? nil : .priceIncreaseRefused))
            #expect(after.priceIncrease == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `under a rate without a limit it renews on`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            try await store.set(
                "alice",
                with(TesterSettings(subscriptionRenewalRate: .monthlyRenewalEveryThirtySeconds)) {
                    $0.unlimitedRenewals = true
                })
            let alice = try await store.customerApp()
            _ = try await alice.subscribe("basic.monthly")
            try await store.jump(by: "10m")
            #expect(try await store.renewals().count == 20)
            #expect(try await alice.subscription().state == .subscribed)
        }
    }

    @Test(arguments: Engine.allCases) func `expired at once, for good`(_ engine: Engine) async throws {
        try await withSubscriber(engine) { store, alice, original in
            try await store.jump(by: "3d")
            let reply = try await store.operate(original, .expire)
            #expect(reply.subscription.state == .expired)
            #expect(reply.subscription.expirationReason == .other)
            #expect(reply.subscription.expiresDate == TestStore.instant("2027-02-03"))
            #expect(try await alice.snapshot().transactions.first?.expiresDate == TestStore.instant("2027-02-03"))
            for operation in [OperateSubscriptionRequest.Operation.expire, .renew, .enableAutoRenew, .resolveBilling] {
                #expect(
                    try await refusal { try await store.operate(original, operation) }?.code == .transactionStateInvalid
                )
            }
            try await store.jump(by: "1y")
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `extended, the billing date moves`(_ engine: Engine) async throws {
        try await withSubscriber(engine) { store, alice, original in
            let reply = try await store.operate(original, .extend, days: 10)
            #expect(reply.subscription.expiresDate == TestStore.instant("2027-03-10"))
            #expect(reply.transaction?.expiresDate == TestStore.instant("2027-03-10"))
            for days in [nil, 0, 91] {
                #expect(
                    try await refusal { try await store.operate(original, .extend, days: days) }?.code
                        == .requestInvalid)
            }
            #expect(try await refusal { try await store.operate(original, .expire, days: 3) }?.code == .requestInvalid)
            try await store.jump(next: 2)
            #expect(
                try await store.lines(original).suffix(2) == ["2027-03-10 renewed 9.99", "2027-04-10 renewed 9.99"])
            #expect(try await alice.history().transactions.map(\.expiresDate).first == TestStore.instant("2027-03-10"))
        }
    }

    @Test(arguments: Engine.allCases) func `another price is charged and told; a product that is gone ends it`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, alice, original in
            store.catalogue.sell(.subscription("basic.monthly", "12.99"), level: 2)
            try await store.restartQueue()
            try await store.jump(next: 2)
            store.catalogue.sell(.subscription("basic.monthly", "12.99"), level: 2, availability: .notForSale)
            // A new process has no quotes in its cache.
            try await store.restartQueue()
            try await store.jump(next: 1)
            #expect(
                try await store.lines(original) == [
                    "2027-01-31 subscribed 9.99", "2027-02-28 priceChanged 12.99", "2027-02-28 renewed 12.99",
                    "2027-03-31 renewed 12.99", "2027-04-30 expired",
                ])
            #expect(try await alice.subscription().expirationReason == .productNotAvailable)
        }
    }

    @Test(arguments: Engine.allCases) func `while the catalogue is away nothing is charged and nothing expires`(
        _ engine: Engine
    ) async throws {
        try await withSubscriber(engine) { store, alice, _ in
            try await store.restartQueue()
            await store.stopCatalogue()
            let move = try await answered { try await store.move(by: "1mo", key: "k", within: $0) }
            #expect(!move.isFinished)
            #expect(move.remaining == 1)
            #expect(try await alice.subscription().state == .subscribed)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `a tester's rate: twelve renewals, then the end`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            try await store.set(
                "alice", TesterSettings(subscriptionRenewalRate: .monthlyRenewalEveryFiveMinutes))
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            let first = try await alice.subscription()
            #expect(first.expiresDate == first.purchaseDate + .seconds(180))
            try await store.jump(by: "1d")
            let ended = try await alice.subscription()
            #expect(ended.state == .expired)
            #expect(ended.expirationReason == .other)
            #expect(ended.expiresDate == first.purchaseDate + .seconds(13 * 180))
            #expect(try await store.renewals().count == 12)
            #expect(try await store.timeline(original).events.last?.kind == .expired)
        }
    }

    @Test(arguments: Engine.allCases) func `lists and timelines come in pages`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            for name in ["alice", "bob", "carol"] { _ = try await store.customerApp(name).subscribe("news.weekly") }
            let bob = try await store.customerApp("bob")
            _ = try await bob.subscribe("basic.monthly", key: "second")
            #expect(try await bob.subscriptions().map(\.subscriptionGroupIdentifier) == ["news", "pro"])
            var seen: [String?] = []
            var after: String?
            repeat {
                let page = try await store.subscriptions(
                    SubscriptionListRequest(bundleId: Catalogue.bundleId, after: after, limit: 3))
                seen += page.subscriptions.map(\.account)
                after = page.after
            } while after != nil
            #expect(seen == ["alice", "bob", "carol", "bob"])
            let own = try await store.subscriptions(SubscriptionListRequest(account: "bob", state: .subscribed))
            #expect(own.subscriptions.count == 2)
            #expect(try await store.subscriptions(SubscriptionListRequest(state: .expired)).subscriptions.isEmpty)
            try await store.jump(by: "3w")
            let id = try await store.subscriptions(SubscriptionListRequest(account: "alice")).subscriptions[0].id
            let head = try await store.timeline(id, limit: 2)
            #expect(head.events.map(\.kind) == [.subscribed, .renewed])
            let tail = try await store.timeline(id, limit: 2, after: head.after)
            #expect(tail.events.map(\.kind) == [.renewed, .renewed])
            #expect(tail.after == nil)
            #expect(tail.events.allSatisfy { $0.account == "alice" })
            #expect(try await refusal { try await store.timeline("t_none") }?.code == .notFound)
        }
    }
}
