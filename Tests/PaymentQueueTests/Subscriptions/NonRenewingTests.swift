import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a non-renewing subscription is sold once and never again by itself, at any time; its term is the
/// app's to count.
@Suite(.serialized) struct NonRenewingTests {
    @Test(arguments: Engine.allCases) func `it is charged once, has no group, and no clock renews it`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let bought = try await alice.add("season", key: "1").transaction
            #expect(bought.transactionState == .purchased)
            #expect(bought.expiresDate == nil)
            #expect(bought.subscriptionGroupIdentifier == nil)
            #expect(try await alice.subscriptions().isEmpty)
            #expect(try await store.clockState().nextEvent == nil)
            let move = try await store.jump(by: "2y")
            #expect(move.eventCount == 0)
            #expect(try await store.charges().map(\.chargeKey) == ["purchase:\(bought.id)"])
        }
    }

    @Test(arguments: Engine.allCases) func `it is sold again at once, and not restored`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("season", key: "1").transaction
            let second = try await alice.add("season", key: "2").transaction
            #expect(second.transactionState == .purchased)
            #expect(second.id != first.id)
            #expect(second.price == .usd("4.99"))
            #expect(try await store.charges().count == 2)
            #expect(try await alice.restore().restored == 0)
        }
    }
}
