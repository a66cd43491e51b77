import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a launch finds every transaction, in each state, without any other call (M17, M19, M20, M22, M27, M33).
@Suite(.serialized) struct FiveStatesTests {
    @Test(arguments: Engine.allCases)
    func `M17, M19, M22, M27, M33: one launch brings all five states, straight away and while a purchase runs`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let owned = try await alice.add("guide", key: "0").transaction
            try await alice.finish(owned.id)
            let bought = try await alice.add("beaches", key: "1").transaction
            let failed = try await alice.add("nothing", key: "2").transaction
            try await store.set("alice", TesterSettings(askToBuy: true))
            let deferred = try await alice.add("coins", key: "3").transaction
            try await store.forget("alice")
            _ = try await alice.restore()
            store.processor.set(trouble: .held)
            let running = Task { try await alice.add("coins", key: "4", within: .seconds(10)) }
            try await eventually("it is being charged") { store.processor.heldCount == 1 }
            let values = try await alice.snapshot(launches: true).transactions
            #expect(
                values.map(\.transactionState) == [.purchased, .failed, .deferred, .restored, .purchasing])
            #expect(Set(values.map(\.transactionState)) == Set(TransactionState.allCases))
            #expect([bought, failed, deferred].map(\.id) == values.prefix(3).map(\.id))
            #expect(values[3].original?.transaction.transactionIdentifier == owned.transactionIdentifier)
            store.processor.release()
            let ended = try await running.value.transaction
            #expect(ended.id == values[4].id)
            // M53: three of the five can be finished.
            try await store.settle()
            for value in try await alice.snapshot().transactions {
                let refused = try await refusal { try await alice.finish(value.id) }
                #expect(refused?.code == (value.transactionState == .deferred ? .transactionNotFinishable : nil))
            }
            #expect(try await alice.snapshot().transactions.map(\.id) == [deferred.id])
        }
    }

    @Test func `M20: what changes while no observer is registered comes at the next registration`() async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(askToBuy: true))
            let deferred = try await alice.add("coins", key: "k").transaction
            let seen = try await alice.snapshot(launches: true)
            try await store.approve(deferred.id)
            let next = try await alice.snapshot(launches: true)
            #expect(next.transactions.map(\.id) == seen.transactions.map(\.id))
            #expect(next.transactions.map(\.transactionState) == [.purchased])
            #expect(next.seq > seen.seq)
        }
    }

    @Test(arguments: 1...10) func `P6: one to ten of a product cost that many times its price`(
        _ quantity: Int
    ) async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            let value = try await alice.add("coins", key: "k", quantity: quantity).transaction
            #expect(value.payment.quantity == quantity)
            #expect(value.price?.minorUnits == Int64(99 * quantity))
            #expect(try await store.charges().map(\.amount?.minorUnits) == [Int64(99 * quantity)])
        }
    }

    @Test(arguments: [Int.min, -1, 0, 11, .max]) func `another quantity is refused before anything is written`(
        _ quantity: Int
    ) async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            let error = try await refusal { try await alice.add("coins", key: "k", quantity: quantity) }
            #expect(error?.status == 422)
            #expect(error?.details["path"] == .string("$.quantity"))
            #expect(try await store.transactions().isEmpty)
        }
    }
}
