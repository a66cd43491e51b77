import BusClient
import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a renewal the processor has charged another amount for is neither given nor declined, holds up no clock, and
/// ends when an operator says how.
@Suite(.serialized) struct QuarantinedRenewalTests {
    /// Alice's first renewal has been charged 5.00 in place of 9.99.
    private func withMismatch(
        _ engine: Engine, _ body: (TestStore, CustomerApp, String) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-01-31", frozen: true)
            let alice = try await store.customerApp()
            let original = try await alice.subscribe("news.weekly")
            let renewal = try await store.renewalKey(original)
            _ = try await store.caller.call(
                ProcessorEndpoints.createCharge,
                CreateChargeRequest(
                    chargeKey: "\(renewal):1", amount: .usd("5.00"), bundleId: "b", customerIdentifier: "c",
                    productIdentifier: "p"))
            try await body(store, alice, original)
        }
    }

    @Test(arguments: Engine.allCases) func `the clock moves on, its answer tells of it, and so does health`(
        _ engine: Engine
    ) async throws {
        try await withMismatch(engine) { store, alice, original in
            let bob = try await store.customerApp("bob")
            _ = try await bob.subscribe("news.weekly")
            let move = try await store.move(by: "3w", key: "k")
            #expect(move.isFinished)
            #expect(move.remaining == 0)
            let told = try #require(move.events.first { $0.account == "alice" })
            #expect(told.kind == .billingFailed)
            #expect(told.detail?.hasPrefix("quarantined") == true)
            #expect(move.events.filter { $0.account == "alice" }.count == 1)
            #expect(move.events.filter { $0.kind == .renewed }.count == 3)
            #expect(try await alice.subscription().state == .subscribed)
            #expect(try await alice.history().transactions.count == 1)
            let attempts = store.processor.attempts
            #expect(try await store.current.service.clocks.sweep() == 0)
            #expect(store.processor.attempts == attempts)
            let discovery = ServiceDiscovery(store.bus.client(name: "operator"))
            let health = try await discovery.health("payment-queue", timeout: .seconds(2))
            #expect(health.first?.checks["quarantine"]?.status == .warn)
            #expect(try await store.lines(original).last == "2027-02-07 billingFailed 9.99")
        }
    }

    @Test(arguments: Engine.allCases) func `nothing but an operator's word changes it, and expiring ends it`(
        _ engine: Engine
    ) async throws {
        try await withMismatch(engine) { store, alice, original in
            try await store.jump(by: "1w")
            for operation in [OperateSubscriptionRequest.Operation.renew, .disableAutoRenew, .failNextRenewal] {
                #expect(
                    try await refusal { try await store.operate(original, operation) }?.code == .transactionStateInvalid
                )
            }
            #expect(
                try await refusal { try await alice.update(original, renews: false) }?.code == .transactionStateInvalid)
            // The same charge is asked about again, never another one.
            let still = try await store.operate(original, .resolveBilling)
            #expect(still.transaction == nil)
            #expect(try await store.charges().filter { $0.chargeKey.hasPrefix("renew:") }.count == 1)
            #expect(try await store.lines(original).count == 2)
            let ended = try await store.operate(original, .expire)
            #expect(ended.subscription.state == .expired)
            #expect(ended.subscription.expirationReason == .other)
            // Bought anew it renews under another key.
            #expect(try await alice.subscribe("news.weekly", key: "again") == original)
            try await store.jump(by: "1w")
            #expect(try await store.lines(original).last == "2027-02-14 renewed 9.99")
            let renewal = try await store.renewalKey(original)
            #expect(try await store.charges().last?.chargeKey == "\(renewal):2")
        }
    }

    @Test(arguments: Engine.allCases) func `a purchase in the group waits for the operator`(_ engine: Engine)
        async throws
    {
        try await withMismatch(engine) { store, alice, original in
            store.catalogue.sell(.subscription("news.monthly", group: "news"), level: 1)
            try await store.jump(by: "1w")
            let waiting = try await alice.begin("news.monthly", key: "second").transaction
            #expect(waiting.transactionState == .purchasing)
            #expect(try await store.charges().count == 2)
            try await store.operate(original, .expire)
            try await eventually("it is sold") {
                _ = try await store.current.service.purchases.sweep(now: .now + .seconds(60))
                return try await alice.get(waiting.id).transactionState == .purchased
            }
            #expect(try await alice.subscription().productIdentifier == "news.monthly")
        }
    }

    @Test(arguments: Engine.allCases) func `a history with one is cleared like any other`(_ engine: Engine) async throws
    {
        try await withMismatch(engine) { store, alice, _ in
            try await store.jump(by: "1w")
            #expect(try await store.clear() == 1)
            #expect(try await alice.subscriptions().isEmpty)
        }
    }
}
