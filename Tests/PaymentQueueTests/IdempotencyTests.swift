import StoreModels
import StorebusTesting
import Testing

/// Goal: one key is one transaction and at most one charge (P3), however often and from wherever it is sent.
@Suite(.serialized) struct IdempotencyTests {
    @Test(arguments: Engine.allCases)
    func `P3: the same key 32 times at once is one charge and one transaction`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<32 { group.addTask { try await alice.add("coins", key: "k") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(replies.map(\.transaction)).count == 1)
            #expect(replies.allSatisfy { $0.status == 201 && $0.transaction.transactionState == .purchased })
            #expect(try await store.charges().count == 1)
            #expect(try await store.transactions().count == 1)
            #expect(try await alice.changes().changes.map(\.seq) == [1, 2])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a repetition gets the stored status and body, though the transaction was delivered and finished since`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("coins", key: "k")
            _ = try await alice.snapshot(launches: true)
            try await alice.finish(first.transaction.id)
            let again = try await alice.add("coins", key: "k")
            #expect(again.isReplayed)
            #expect(again.status == first.status)
            #expect(try StoreJSON.encode(again.transaction) == StoreJSON.encode(first.transaction))
        }
    }

    @Test(arguments: Engine.allCases)
    func `another payment with the same key is keyReused and has no effect`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "k")
            for change in [("beaches", 1, nil), ("coins", 2, nil), ("coins", 1, "somebody")] as [(String, Int, String?)]
            {
                #expect(
                    try await refusal {
                        try await alice.add(change.0, key: "k", quantity: change.1, username: change.2)
                    }?.code == .keyReused)
            }
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `another payment with a key in flight is keyReused at once`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            _ = try await alice.begin("coins", key: "k")
            #expect(try await refusal { try await alice.add("beaches", key: "k") }?.code == .keyReused)
        }
    }

    @Test(arguments: Engine.allCases)
    func `keys of different customers are different keys`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            let first = try await alice.add("coins", key: "k").transaction
            let second = try await bob.add("coins", key: "k").transaction
            #expect(first.id != second.id)
            #expect(try await store.charges().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M21: the same product with another key is another transaction`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("coins", key: "1").transaction
            let second = try await alice.add("coins", key: "2").transaction
            #expect(first.id != second.id)
            #expect(first.transactionIdentifier == "2000000000000001")
            #expect(second.transactionIdentifier == "2000000000000002")
        }
    }
}
