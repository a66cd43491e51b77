import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: upgrades, downgrades and crossgrades act as in the App Store, and the money agrees (S6, P2, P10; M126).
@Suite(.serialized) struct SubscriptionChangeTests {
    private static let start = "2027-03-01"

    /// Runs a body on a store with a second product of the higher service. Its clock shows 1 March 2027.
    private func withStore(_ engine: Engine, _ body: (TestStore, CustomerApp) async throws -> Void) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.subscription("plus.monthly", "14.99"), level: 1)
            store.catalogue.sell(.subscription("lite.monthly", "2.99"), level: 3)
            store.catalogue.sell(.subscription("base.monthly", "5.00"), level: 2)
            let alice = try await store.customerApp()
            try await store.putClock(Self.start, frozen: true)
            try await body(store, alice)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M126, S6: an upgrade is at once at the full price, and the unused part of the old period goes back`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.subscribe("base.monthly")
            let first = try #require(try await alice.history().transactions.first)
            // 10 of 31 days are used.
            try await store.jump(by: "P10D")
            let upgrade = try await alice.add("pro.monthly", key: "up").transaction
            #expect(upgrade.price == .usd("9.99"))
            #expect(upgrade.offer == nil)
            #expect(upgrade.originalTransactionIdentifier == original)
            #expect(upgrade.original?.transaction.id == first.id)
            #expect(upgrade.subscriptionGroupIdentifier == "pro")
            #expect(upgrade.effectiveDate == nil)
            #expect(upgrade.expiresDate == Timestamp("2027-04-11T10:00:00.000Z"))
            try await store.settleRefunds()
            let refund = try #require(try await store.refunds().first)
            #expect(refund.refundKey == "prorated:\(upgrade.id)")
            #expect(refund.chargeKey == "purchase:\(first.id)")
            #expect(refund.amount.minorUnits == 500 * 21 / 31)
            #expect(try await alice.get(first.id).isUpgraded == true)
            #expect(try await alice.subscription().productIdentifier == "pro.monthly")
            #expect(try await alice.subscription().autoRenewProductIdentifier == "pro.monthly")
            let lines = try await store.lines(upgrade.id)
            #expect(Set(lines.dropFirst()) == ["2027-03-11 refundedProrated 3.38", "2027-03-11 upgraded 9.99"])
            // The next renewal is the new product's, a month after the upgrade.
            try await store.jump(to: "2027-04-11")
            #expect(try await store.lines(upgrade.id).last == "2027-04-11 renewed 9.99")
        }
    }

    @Test(arguments: Engine.allCases)
    func `a crossgrade of the same length is at once, one of another length with the next renewal`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            try await store.jump(by: "P1D")
            _ = try await alice.subscribe("plus.monthly")
            let across = try await alice.add("pro.monthly", key: "same").transaction
            #expect(across.price == .usd("9.99"))
            try await store.settleRefunds()
            // Nothing was used of it.
            #expect(try await store.refunds().map(\.amount) == [.usd("14.99")])
            let yearly = try await alice.add("pro.yearly", key: "other").transaction
            #expect(yearly.transactionState == .purchased)
            #expect(yearly.price == .usd("0.00"))
            #expect(yearly.effectiveDate == across.expiresDate)
            #expect(yearly.expiresDate == nil)
            #expect(yearly.isTrialPeriod == nil)
            #expect(try await alice.subscription().autoRenewProductIdentifier == "pro.yearly")
            #expect(try await alice.subscription().productIdentifier == "pro.monthly")
            #expect(try await store.charges().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a downgrade waits for the renewal, which charges the lower price`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("plus.monthly")
            let down = try await alice.add("lite.monthly", key: "down").transaction
            #expect(down.effectiveDate == Timestamp("2027-04-01T10:00:00.000Z"))
            #expect(try await alice.add("lite.monthly", key: "again").transaction.error?.underlying == 3532)
            try await store.jump(to: "2027-04-01")
            #expect(try await alice.subscription().productIdentifier == "lite.monthly")
            #expect(try await store.renewals().map(\.amount) == [.usd("2.99")])
            #expect(try await store.refunds().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `buying the present product takes a scheduled change back, and is 3532 without one`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("plus.monthly")
            #expect(try await alice.add("plus.monthly", key: "1").transaction.error?.underlying == 3532)
            let down = try await alice.add("lite.monthly", key: "2").transaction
            let back = try await alice.add("plus.monthly", key: "3").transaction
            #expect(back.transactionState == .purchased)
            #expect(back.price == .usd("0.00"))
            #expect(back.effectiveDate == back.transactionDate)
            #expect(try await alice.subscription().autoRenewProductIdentifier == "plus.monthly")
            let kinds = try await store.timeline(down.originalTransactionIdentifier ?? "").events.map(\.kind)
            #expect(kinds == [.subscribed, .changeScheduled, .changeReverted])
            try await store.jump(to: "2027-04-01")
            #expect(try await store.renewals().map(\.amount) == [.usd("14.99")])
            // A scheduled change has nothing to refund.
            await #expect(throws: StoreError.self) { try await store.refund(back.id) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a subscriber who has turned auto-renew off and buys lower service renews with it`(_ engine: Engine)
        async throws
    {
        try await withStore(engine) { store, alice in
            let original = try await alice.subscribe("plus.monthly")
            try await alice.update(original, renews: false)
            #expect(try await alice.add("plus.monthly", key: "1").transaction.error?.underlying == 3532)
            _ = try await alice.add("lite.monthly", key: "2")
            #expect(try await alice.subscription().willAutoRenew)
            try await store.jump(to: "2027-04-01")
            #expect(try await alice.subscription().productIdentifier == "lite.monthly")
        }
    }

    @Test(arguments: Engine.allCases)
    func `S1: what is due is renewed before a purchase in the group is decided`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("base.monthly")
            // The clock runs past the renewal without a sweep.
            try await store.putClock("2027-04-02", frozen: true)
            let upgrade = try await alice.add("pro.monthly", key: "up", within: .seconds(20)).transaction
            #expect(upgrade.transactionState == .purchased)
            try await store.settleRefunds()
            let kinds = try await store.timeline(upgrade.id).events.map(\.kind)
            #expect(kinds.prefix(2) == [.subscribed, .renewed])
            // A day of thirty is used of the renewed period.
            #expect(try await store.refunds().map(\.amount.minorUnits) == [500 * 29 / 30])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M127: who is in billing retry gets other service at once, and the retry is over`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            _ = try await alice.subscribe("plus.monthly")
            store.processor.set(outcome: .declined)
            try await store.jump(to: "2027-04-02")
            #expect(try await alice.subscription().state == .inBillingRetryPeriod)
            store.processor.set(outcome: .approved)
            let lower = try await alice.add("lite.monthly", key: "2").transaction
            #expect(lower.price == .usd("2.99"))
            #expect(try await alice.subscription().state == .subscribed)
            try await store.settleRefunds()
            #expect(try await store.refunds().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `S6: two products of a group bought at once are one subscription, the first one's money goes back`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            async let first = alice.add("plus.monthly", key: "1")
            async let second = alice.add("lite.monthly", key: "2")
            let bought = try await [first, second].map(\.transaction)
            #expect(bought.allSatisfy { $0.transactionState == .purchased })
            try await store.settleRefunds()
            let subscription = try await alice.subscription()
            let kept = try #require(bought.first { $0.payment.productIdentifier == subscription.productIdentifier })
            let other = try #require(bought.first { $0.id != kept.id })
            // Either the second was planned when the first was there, and is a note or an upgrade; or both were paid.
            if other.price != .usd("0.00"), kept.price != .usd("0.00") {
                #expect(try await store.refunds().map(\.amount) == [try #require(other.price)])
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `an upgrade that waits for a parent is decided again when the subscription changed`(
        _ engine: Engine
    ) async throws {
        try await withStore(engine) { store, alice in
            let original = try await alice.subscribe("base.monthly")
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let noted = try await alice.add("lite.monthly", key: "down").transaction
            #expect(noted.transactionState == .purchasing)
            try await alice.update(original, renews: false)
            try await store.jump(to: "2027-04-02")
            try await store.answer(try await store.prompt().id, .approve)
            let failed = try await alice.get(noted.id)
            #expect(failed.error?.reason == "subscriptionEnded")
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `changes of product are events`(_ engine: Engine) async throws {
        try await withStore(engine) { store, alice in
            let start = try await store.position()
            _ = try await alice.subscribe("base.monthly")
            _ = try await alice.add("lite.monthly", key: "2")
            _ = try await alice.add("pro.monthly", key: "3")
            let types = try await store.events(after: start, count: 8).map(\.type)
            #expect(types.count { $0 == .renewalPreferenceChanged } == 1)
            #expect(types.count { $0 == .upgraded } == 1)
        }
    }
}
