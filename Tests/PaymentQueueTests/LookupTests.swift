import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a transaction is found by its `id` and by its `transactionIdentifier`, by its owner only.
@Suite struct LookupTests {
    @Test(arguments: Engine.allCases)
    func `get and finish take the decimal identifier`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            let number = try #require(bought.transactionIdentifier)
            #expect(try await alice.get(number).id == bought.id)
            #expect(try await alice.finish(number).id == bought.id)
            #expect(try await alice.snapshot().transactions.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P11: another customer's number, and an unused one, are not found`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bob = try await store.customerApp("bob", device: "pad")
            let number = try #require(try await alice.add("beaches", key: "1").transaction.transactionIdentifier)
            for text in [
                number, "1", "9223372036854775807", "9223372036854775808", "00", String(repeating: "9", count: 40),
            ] {
                #expect(try await refusal { try await bob.get(text) }?.code == .notFound)
                #expect(try await refusal { try await bob.finish(text) }?.code == .notFound)
            }
        }
    }

    @Test(arguments: Engine.allCases) func `operators name transactions by number too`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            let number = try #require(bought.transactionIdentifier)
            #expect(try await store.revoke(number).id == bought.id)
            #expect(try await refusal { try await store.approve(number) }?.code == .transactionStateInvalid)
            try await store.delete(number)
            #expect(try await store.transactions().isEmpty)
        }
    }
}
