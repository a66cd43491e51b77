import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a customer who owns very much gets all of it back in several commits, also when a process dies between them
/// (R1, R3).
@Suite(.serialized, .slow) struct LargeRestoreTests {
    private static let count = 230

    private func withMuch(_ engine: Engine, _ body: (TestStore, CustomerApp) async throws -> Void) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for number in 0..<Self.count { store.catalogue.sell(.product("map\(number)", .nonConsumable, "0.00")) }
            // A few at a time: all of them wait for the one customer's row.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<Self.count {
                    if number >= 8 { try await group.next() }
                    group.addTask {
                        let value = try await alice.add("map\(number)", key: "\(number)", within: .seconds(20))
                        try await alice.finish(value.transaction.id)
                    }
                }
                try await group.waitForAll()
            }
            try await body(store, alice)
        }
    }

    private func check(_ alice: CustomerApp, _ store: TestStore, behind head: Int64) async throws {
        var changes: [CustomerChange] = []
        while true {
            let page = try await alice.changes(after: head + Int64(changes.count)).changes
            changes += page
            if page.isEmpty { break }
        }
        #expect(changes.map(\.seq) == (1...Int64(Self.count + 1)).map { head + $0 })
        let values = changes.compactMap(\.transaction)
        #expect(Set(values.map(\.payment.productIdentifier)).count == Self.count)
        #expect(values.count == Self.count)
        #expect(Set(values.compactMap(\.transactionIdentifier)).count == Self.count)
        // In the order they were bought, and then the end.
        let originals = values.compactMap { $0.original?.transaction.transactionIdentifier.flatMap(Int64.init) }
        #expect(originals == originals.sorted())
        #expect(changes.last?.restore?.restored == Self.count)
        #expect(changes.last?.restore?.state == .finished)
        #expect(try await store.current.service.restores.sweep() == 0)
    }

    @Test(arguments: Engine.allCases) func `R1: all of it in one call`(_ engine: Engine) async throws {
        try await withMuch(engine) { store, alice in
            let head = try await alice.changes().head
            #expect(try await alice.restore(within: .seconds(20)).restored == Self.count)
            try await check(alice, store, behind: head)
        }
    }

    @Test(arguments: [Checkpoint.insideRestoreCommit, .afterRestoreCommit], Engine.allCases)
    func `R3: dead on the way, the next process restores the rest and ends it once`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await withMuch(engine) { store, alice in
            let head = try await alice.changes().head
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await alice.restore() }
            try await store.restartQueue()
            let isBegun = checkpoint == .afterRestoreCommit
            #expect(try await alice.changes().head == (isBegun ? head + 100 : head))
            // Restored ones are not ended before they are all there.
            #expect(try await alice.snapshot().restores.isEmpty)
            if isBegun {
                // While it runs its key finds it, and helps it along.
                async let again = alice.restore(within: .seconds(20))
                async let swept = store.current.service.restores.sweep()
                #expect(try await (again.state, swept) == (.finished, 0))
            } else {
                _ = try await alice.restore(within: .seconds(20))
            }
            try await check(alice, store, behind: head)
        }
    }

    @Test(arguments: Engine.allCases) func `R1: what is bought while a restore runs is no part of it`(_ engine: Engine)
        async throws
    {
        try await withMuch(engine) { store, alice in
            let head = try await alice.changes().head
            store.current.crash.arm(.afterRestoreCommit)
            await #expect(throws: StoreError.self) { try await alice.restore() }
            try await store.restartQueue()
            try await alice.finish(try await alice.add("beaches", key: "late").transaction.id)
            #expect(try await store.current.service.restores.sweep() == 0)
            #expect(try await alice.restore().restored == Self.count)
            // Three rows of the late purchase are between the restored ones.
            #expect(try await alice.changes().head == head + Int64(Self.count) + 1 + 3)
        }
    }
}
