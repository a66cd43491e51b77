import BusService
import PaymentProcessor
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a processor that answers late, twice or never changes nothing but the time a purchase takes (P1 to P5).
@Suite(.serialized) struct ProcessorTests {
    /// A store whose queue listens to callbacks.
    private func withCallbacks(
        _ engine: Engine = .sqlite, _ body: (TestStore, CustomerApp) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let service = store.current.service
            // Not a child task: it is ended by hand, before the queue it belongs to.
            let listening = Task { await service.callbacks.run() }
            do {
                try await body(store, alice)
            } catch {
                listening.cancel()
                await listening.value
                throw error
            }
            listening.cancel()
            await listening.value
        }
    }

    @Test func `a tester's wish goes with every request for the charge, in the next process too`() async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(processor: .timeoutAfter))
            store.processor.set(trouble: .before)
            let pending = try await alice.begin("coins", key: "k").transaction
            try await store.set("alice", TesterSettings(processor: .decline))
            try await store.restartQueue()
            store.processor.set(trouble: .none)
            try await store.settle()
            #expect(try await alice.get(pending.id).transactionState == .purchased)
            #expect(Set(store.processor.wishes) == [.timeoutAfter])
            try await store.forget("alice")
            _ = try await alice.add("coins", key: "2")
            #expect(store.processor.wishes.last == .some(nil))
        }
    }

    @Test func `the app's default wish counts where the tester has none`() async throws {
        try await TestStore.with { store in
            store.catalogue.set(testerDefaults: TesterSettings(processor: .slow))
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "k")
            #expect(store.processor.wishes == [.slow])
        }
    }

    @Test(arguments: Engine.allCases) func `pending stays purchasing, and is purchased when the processor has decided`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(outcome: .pending)
            let reply = try await alice.begin("coins", key: "k")
            #expect(reply.transaction.transactionState == .purchasing)
            #expect(try await store.current.service.purchases.sweep(now: .now + .seconds(60)) == 1)
            #expect(try await alice.changes().changes.map { $0.transaction?.transactionState } == [.purchasing])
            store.advance(by: .seconds(2))
            try await store.settleCharges()
            try await store.settle()
            #expect(try await alice.get(reply.transaction.id).transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
        }
    }

    @Test func `a callback ends a pending purchase without waiting for a sweep`() async throws {
        try await withCallbacks { store, alice in
            store.processor.set(outcome: .pending)
            let pending = try await alice.begin("coins", key: "k").transaction
            store.advance(by: .seconds(2))
            try await eventually("the callback is heard") {
                // One that came during the work on it is the next sweep's; here it is sent again.
                store.caller.publish(
                    event: ProcessorEvents.chargeChanged, ChargeChanged(chargeKey: "purchase:\(pending.id)"))
                try await store.settleCharges()
                return try await alice.get(pending.id).transactionState == .purchased
            }
            #expect(try await store.charges().count == 1)
        }
    }

    @Test func `callbacks that are late, doubled or about nothing change nothing`() async throws {
        try await withCallbacks { store, alice in
            let bought = try await alice.add("coins", key: "k").transaction
            try await store.set("alice", TesterSettings(askToBuy: true))
            let deferred = try await alice.add("coins", key: "2").transaction
            let head = try await alice.changes().head
            for key in ["purchase:\(bought.id)", "purchase:\(deferred.id)", "purchase:t_nothing", "purchase:", "", "x"]
            {
                for _ in 0..<3 {
                    store.caller.publish(event: ProcessorEvents.chargeChanged, ChargeChanged(chargeKey: key))
                }
            }
            // Each is looked at before this one is.
            store.processor.set(outcome: .pending)
            try await store.forget("alice")
            let last = try await alice.begin("coins", key: "3").transaction
            store.advance(by: .seconds(2))
            try await eventually("all are looked at") {
                try await store.settleCharges()
                store.caller.publish(
                    event: ProcessorEvents.chargeChanged, ChargeChanged(chargeKey: "purchase:\(last.id)"))
                return try await alice.get(last.id).transactionState == .purchased
            }
            #expect(try await alice.get(bought.id) == bought)
            #expect(try await alice.get(deferred.id) == deferred)
            #expect(try await alice.changes().head == head + 2)
            #expect(try await store.charges().count == 2)
        }
    }

    @Test func `what an operator clears away while the processor is undecided is given up at once`() async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            store.processor.set(outcome: .pending)
            _ = try await alice.begin("coins", key: "k")
            #expect(try await store.clear("alice") == 1)
            #expect(try await store.charges().map(\.outcome) == [.cancelled])
        }
    }
}
