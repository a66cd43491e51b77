import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: history, receipt, restore and what a customer owns agree about what was taken back: copies of a purchase go
/// with it, and of a subscription the periods that cannot be used without the one that went (P2, P10; R1).
@Suite(.serialized) struct TakenBackTests {
    @Test(arguments: Engine.allCases)
    func `the free copy of a refunded non-consumable is taken back with it, everywhere`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("beaches", key: "1").transaction
            try await alice.finish(first.id)
            let copy = try await alice.add("beaches", key: "2").transaction
            #expect(copy.originalTransactionIdentifier == first.transactionIdentifier)
            _ = try await alice.restore(key: "r1")
            let guide = try await alice.add("guide", key: "3").transaction
            let refunded = try await store.refund(first.id, reason: .appIssue)
            for value in try await alice.history().transactions where value.id != guide.id {
                #expect(value.revocationDate == refunded.revocationDate)
                #expect(value.revocationReason == .appIssue)
            }
            #expect(try await alice.history().transactions.map(\.revocationDate).count { $0 != nil } == 3)
            let items = try await alice.receipt().items
            #expect(items.filter { $0.cancellationDate != nil }.map(\.productIdentifier) == ["beaches", "beaches"])
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["guide"])
            // Observers that still have the copy are notified.
            #expect(try await alice.get(copy.id).revision == copy.revision + 1)
            #expect(try await store.refunds().map(\.amount) == [.usd("1.99")])
            let again = try await alice.add("beaches", key: "4").transaction
            #expect(again.price == .usd("1.99"))
            #expect(try await alice.receipt().items.last?.cancellationDate == nil)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a free copy that is taken back leaves the purchase it repeats`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("beaches", key: "1").transaction
            let copy = try await alice.add("beaches", key: "2").transaction
            _ = try await store.refund(copy.id)
            #expect(try await alice.get(first.id).revocationDate == nil)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["beaches"])
            #expect(try await alice.receipt().items.map { $0.cancellationDate == nil } == [true, false])
            #expect(try await store.refunds().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a free copy whose sheet is open when the purchase is taken back fails, and is not given`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("beaches", key: "1").transaction
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let copy = try await alice.add("beaches", key: "2").transaction
            #expect(copy.price == .usd("0.00"))
            _ = try await store.refund(first.id)
            try await store.answer(try await store.prompt().id, .approve)
            let failed = try await alice.get(copy.id)
            #expect(failed.transactionState == .failed)
            #expect(failed.error?.reason == "ownershipEnded")
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == [])
        }
    }

    // MARK: Periods

    /// A weekly subscription from 1 March on, renewed early on the same day: one period runs, one is to come.
    private func withEarlyRenewal(
        _ engine: Engine,
        _ body: (TestStore, CustomerApp, _ original: String, _ coming: PaymentTransaction) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let original = try await alice.subscribe("news.weekly")
            let coming = try #require(try await store.operate(original, .renew).transaction)
            try await body(store, alice, original, coming)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refund of the present period after an early renewal ends it, and both periods' money goes back`(
        _ engine: Engine
    ) async throws {
        try await withEarlyRenewal(engine) { store, alice, original, coming in
            try await store.jump(by: "P1D")
            let refunded = try await store.refund(original)
            #expect(try await alice.subscription().state == .revoked)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == [])
            #expect(try await alice.get(coming.id).revocationDate == refunded.revocationDate)
            try await store.settleRefunds()
            #expect(
                try await Set(store.refunds().map(\.refundKey)) == ["refund:\(refunded.id)", "refund:\(coming.id)"])
            #expect(try await store.refunds().map(\.amount) == [.usd("9.99"), .usd("9.99")])
            // The customer is notified once.
            #expect(try await alice.snapshot().revocations.count <= 1)
            try await store.jump(by: "P60D")
            #expect(try await store.renewals().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a refund of the period to come ends the subscription where that one would have begun`(
        _ engine: Engine
    ) async throws {
        try await withEarlyRenewal(engine) { store, alice, original, coming in
            _ = try await store.refund(coming.id)
            let curtailed = try await alice.subscription()
            #expect(curtailed.state == .subscribed)
            #expect(curtailed.expiresDate == TestStore.instant("2027-03-08"))
            #expect(!curtailed.willAutoRenew)
            #expect(try await alice.storePageCustomer().ownedProductIdentifiers == ["news.weekly"])
            let renewal = try await store.renewalKey(original)
            #expect(try await store.refunds().map(\.chargeKey) == ["\(renewal):1"])
            #expect(try await alice.snapshot().revocations.isEmpty)
            try await store.jump(to: "2027-03-20")
            #expect(try await alice.subscription().state == .expired)
            #expect(try await store.renewals().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `S1: turned on again after that, the next renewal is charged under a key of its own`(
        _ engine: Engine
    ) async throws {
        try await withEarlyRenewal(engine) { store, alice, original, coming in
            _ = try await store.refund(coming.id)
            try await alice.update(original, renews: true)
            try await store.jump(to: "2027-03-10")
            let subscription = try await alice.subscription()
            #expect(subscription.state == .subscribed)
            #expect(subscription.expiresDate == TestStore.instant("2027-03-15"))
            let charges = try await store.renewals()
            #expect(charges.count == 2)
            #expect(Set(charges.map(\.chargeKey)).count == 2)
        }
    }

    // MARK: Restore

    @Test(arguments: Engine.allCases)
    func `R1: a subscription that runs comes back, though its first period was refunded`(_ engine: Engine) async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.putClock("2027-03-01", frozen: true)
            let first = try await alice.add("news.weekly", key: "1").transaction
            try await alice.finish(first.id)
            try await store.jump(to: "2027-03-10")
            _ = try await store.refund(first.id)
            #expect(try await alice.subscription().state == .subscribed)
            #expect(try await alice.restore(key: "1").restored == 1)
            let latest = try #require(try await alice.history().transactions.last { $0.transactionState == .purchased })
            _ = try await store.refund(latest.id)
            #expect(try await alice.restore(key: "2").restored == 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M40: a restore leaves out what is not finished, which is in the queue already`(_ engine: Engine) async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let beaches = try await alice.add("beaches", key: "1").transaction
            let monthly = try await alice.add("news.weekly", key: "2").transaction
            #expect(try await alice.restore(key: "1").restored == 0)
            try await alice.finish(beaches.id)
            #expect(try await alice.restore(key: "2").restored == 1)
            try await alice.finish(monthly.id)
            #expect(try await alice.restore(key: "3").restored == 2)
        }
    }
}
