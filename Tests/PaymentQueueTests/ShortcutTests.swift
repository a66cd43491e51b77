import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: what a purchase does not look up first makes no difference to what it becomes (P3, P6).
@Suite(.serialized) struct ShortcutTests {
    @Test(arguments: Engine.allCases) func `P6: a customer who was moved is quoted in the new storefront`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "1")
            _ = try await alice.add("coins", key: "2")
            try await store.set("alice", TesterSettings(storefront: "FRA"))
            #expect(try await alice.add("coins", key: "3").status == 201)
            #expect(store.catalogue.lastStorefront == "FRA")
            #expect(try await store.charges().count == 3)
        }
    }

    @Test(arguments: Engine.allCases) func `P3: a key that was here before is found without looking it up first`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("coins", key: "k")
            for _ in 0..<3 {
                let again = try await alice.add("coins", key: "k")
                #expect(again.isReplayed)
                #expect(again.transaction == first.transaction)
            }
            #expect(try await refusal { try await alice.add("beaches", key: "k") }?.code == .keyReused)
            #expect(try await refusal { try await alice.named("c_nobody").add("coins", key: "k") }?.code == .notFound)
            #expect(try await store.charges().count == 1)
            #expect(try await alice.changes().head == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `P4: an outcome that another process has written meanwhile counts`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(trouble: .held)
            let pending = Task { try await alice.add("coins", key: "k", within: .seconds(10)) }
            try await eventually("it is being charged") { store.processor.heldCount == 1 }
            // An operator takes the purchase away while its request waits for the processor.
            #expect(try await store.clear("alice") == 1)
            store.processor.release()
            #expect(try await refusal { try await pending.value }?.code == .notFound)
            #expect(try await store.charges().map(\.outcome) == [.cancelled])
            #expect(try await alice.snapshot().transactions.isEmpty)
        }
    }
}
