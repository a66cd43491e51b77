import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: restores, interruptions, finishes and events are one store's with two payment queues on one database (R3, Q4,
/// Q6). Method: a queue group of two, on PostgreSQL, and many requests at once.
@Suite(.serialized) struct ReplicaRaceTests {
    private func withTwo(_ body: (TestStore, CustomerApp) async throws -> Void) async throws {
        try await TestStore.with(.postgres) { store in
            _ = try await store.startReplica()
            try await body(store, try await store.customerApp())
        }
    }

    /// What many calls at once come back with.
    private func all<Output: Sendable & Hashable>(
        _ count: Int, _ call: @escaping @Sendable (Int) async throws -> Output
    ) async throws -> Set<Output> {
        try await withThrowingTaskGroup { group in
            for number in 0..<count { group.addTask { try await call(number) } }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    @Test func `R3: one key restored 16 times at once is one restore with one end`() async throws {
        try await withTwo { store, alice in
            for product in ["beaches", "guide", "pro.monthly"] {
                try await alice.finish(try await alice.add(product, key: product).transaction.id)
            }
            let head = try await alice.changes().head
            #expect(try await all(16) { _ in try await alice.restore(within: .seconds(10)) }.count == 1)
            let kinds = try await alice.changes(after: head).changes.map(\.kind)
            #expect(kinds == [.updated, .updated, .updated, .restoreEnded])
        }
    }

    @Test func `an interrupted purchase is resolved once over two queues`() async throws {
        try await withTwo { store, alice in
            try await store.set("alice", TesterSettings(interruptPurchases: true))
            let failed = try await alice.add("coins", key: "k").transaction
            #expect(try await all(12) { _ in try await store.resolve(failed.id).id }.count == 1)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test func `Q4, Q6: a finish on many devices at once is one finish`() async throws {
        try await withTwo { store, alice in
            let bought = try await alice.add("guide", key: "k").transaction
            let ends = try await all(12) { number in try await alice.on(device: "d\(number)").finish(bought.id).id }
            #expect(ends == [bought.id])
            let kinds = try await alice.changes().changes.map(\.kind)
            #expect(kinds == [.updated, .updated, .downloadsUpdated, .removed])
        }
    }

    @Test func `the journal has no gap and events miss nothing while two queues write side by side`() async throws {
        try await withTwo { store, _ in
            let start = try await store.position()
            let customerApps = [
                try await store.customerApp("a"), try await store.customerApp("b"), try await store.customerApp("c"),
            ]
            async let writing: Void = withThrowingTaskGroup { group in
                for number in 0..<60 {
                    let customerApp = customerApps[number % 3]
                    group.addTask {
                        let value = try await customerApp.add("coins", key: "\(number)", within: .seconds(20))
                            .transaction
                        try await customerApp.finish(value.id)
                    }
                }
                try await group.waitForAll()
            }
            // Read while it is written: 60 times purchasing, purchased, finished.
            var seen: [StoreEvent] = []
            var position = start
            try await eventually("every event is seen", within: .seconds(30)) {
                let reply = try await store.events(after: position)
                (position, seen) = (reply.after, seen + reply.events)
                return seen.count >= 180
            }
            try await writing
            #expect(seen.count == 180)
            #expect(Set(seen.map(\.id)).count == 180)
            for path in Dictionary(grouping: seen, by: \.transaction.id).values {
                #expect(path.map(\.type) == [.purchasing, .purchased, .finished])
            }
            for customerApp in customerApps {
                let changes = try await customerApp.changes().changes
                #expect(changes.map(\.seq) == Array(1...60))
            }
        }
    }
}
