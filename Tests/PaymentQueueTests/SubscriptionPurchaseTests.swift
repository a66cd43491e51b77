import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: introductory offers are given once per group, and subscriptions end when the calendar says (O1, M114 to M134).
@Suite(.serialized) struct SubscriptionPurchaseTests {
    @Test(arguments: Engine.allCases)
    func `M116, M118: a free trial is purchased without a charge and lasts as long as the offer`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let trial = try await alice.add("pro.monthly", key: "k").transaction
            #expect(trial.transactionState == .purchased)
            #expect(trial.price == .usd("0.00"))
            #expect(
                trial.offer
                    == AppliedOffer(
                        type: .introductory, paymentMode: .freeTrial,
                        period: SubscriptionPeriod(numberOfUnits: 2, unit: .week)))
            #expect(trial.isTrialPeriod == true)
            #expect(trial.isInIntroOfferPeriod == false)
            #expect(trial.expiresDate == Timestamp(milliseconds: 1_795_000_000_000) + .seconds(14 * 86_400))
            #expect(try await store.charges().isEmpty)
            let group = try #require(try await alice.offers().first)
            #expect(group.subscriptionGroupIdentifier == "pro")
            #expect(group.introductoryOfferTransaction == trial.transactionIdentifier)
            #expect(!group.introductoryOfferReserved)
            #expect(group.activeUntil == trial.expiresDate)
            #expect(group.activeTransaction == trial.transactionIdentifier)
        }
    }

    @Test(arguments: 0..<5, Engine.allCases)
    func `O1, M134: two products of a group at once get one offer, the second pays the regular price`(
        _ round: Int, _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            async let first = alice.add("pro.yearly", key: "1")
            async let second = alice.add("basic.monthly", key: "2")
            let bought = try await [first, second].map(\.transaction)
            #expect(bought.allSatisfy { $0.transactionState == .purchased })
            #expect(bought.count { $0.offer != nil } == 1)
            let other = try #require(bought.first { $0.offer == nil })
            // Where the yearly one was done before the basic one began, the basic one is a change that waits its time.
            let isChange = other.payment.productIdentifier == "basic.monthly" && other.effectiveDate != nil
            #expect(other.price == .usd(isChange ? "0.00" : "9.99"))
            #expect(bought.count { $0.isInIntroOfferPeriod == true } == 1)
            #expect(try await alice.offers().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M134, O4: an offer in flight counts as used, and a declined purchase gives it back`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let inFlight = try await alice.begin("pro.yearly", key: "1").transaction
            #expect(inFlight.offer != nil)
            #expect(try await alice.offers().map(\.introductoryOfferReserved) == [true])
            let trial = try await alice.begin("pro.monthly", key: "2").transaction
            #expect(trial.offer == nil)
            #expect(trial.price == .usd("9.99"))
            store.processor.set(outcome: .declined)
            try await store.startProcessor()
            try await store.settle()
            #expect(try await alice.get(inFlight.id).transactionState == .failed)
            #expect(try await alice.offers().isEmpty)
            store.processor.set(outcome: .approved)
            #expect(try await alice.add("pro.monthly", key: "3").transaction.isTrialPeriod == true)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M121, M125: after a trial no other product of the group has an offer, other groups do`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(
                .subscription("sport", group: "sport", intro: .discount(.payUpFront, "1.00", 1, .month)), level: 1)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("pro.monthly")
            try await alice.update(original, renews: false)
            try await store.jump(by: "P30D")
            #expect(try await alice.add("basic.monthly", key: "2").transaction.offer == nil)
            #expect(try await alice.add("sport", key: "3").transaction.offer?.paymentMode == .payUpFront)
        }
    }

    @Test(arguments: Engine.allCases)
    func `the active subscription cannot be bought again; when it has lapsed it can, and continues the first`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("news.weekly", key: "1").transaction
            #expect(first.expiresDate == Timestamp(milliseconds: 1_795_000_000_000) + .seconds(7 * 86_400))
            #expect(first.isTrialPeriod == false)
            let again = try await alice.add("news.weekly", key: "2").transaction
            #expect(again.error?.code == 0)
            #expect(again.error?.underlying == 3532)
            #expect(try await store.charges().count == 1)
            try await alice.update(try #require(first.transactionIdentifier), renews: false)
            try await store.jump(by: "P7D")
            let renewed = try await alice.add("news.weekly", key: "3").transaction
            #expect(renewed.transactionState == .purchased)
            #expect(renewed.original?.transaction.transactionIdentifier == first.transactionIdentifier)
            #expect(renewed.originalTransactionIdentifier == first.transactionIdentifier)
            #expect(try await store.charges().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `two purchases of one subscription at once are one charge, the other fails as subscribed already`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            async let first = alice.add("news.weekly", key: "1")
            async let second = alice.add("news.weekly", key: "2")
            let values = try await [first, second].map(\.transaction)
            #expect(Set(values.map(\.transactionState)) == [.purchased, .failed])
            #expect(values.compactMap(\.error).map(\.underlying) == [3532])
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `O1: a crash between the commits keeps the claim, and it is consumed when the purchase is resolved`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.current.crash.arm(.afterFirstCommit)
            _ = try? await alice.add("pro.yearly", key: "1")
            try await store.restartQueue()
            #expect(try await alice.offers().map(\.introductoryOfferReserved) == [true])
            try await store.settle()
            #expect(try await alice.offers().compactMap(\.introductoryOfferTransaction) == ["2000000000000001"])
            #expect(try await store.charges().map(\.amount) == [.usd("1.99")])
            #expect(try await alice.add("basic.monthly", key: "2").transaction.offer == nil)
        }
    }

    @Test(arguments: Engine.allCases) func `O1, O4: dead when the offer is claimed, it is free again and used once`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.current.crash.arm(.afterOfferClaim)
            await #expect(throws: StoreError.self) { try await alice.add("pro.monthly", key: "k") }
            #expect(store.current.crash.hasCrashed)
            try await store.restartQueue()
            #expect(try await alice.offers().isEmpty)
            let bought = try await alice.add("pro.monthly", key: "k").transaction
            #expect(bought.offer?.paymentMode == .freeTrial)
            #expect(try await alice.offers().map(\.introductoryOfferTransaction) == [bought.transactionIdentifier])
        }
    }
}
