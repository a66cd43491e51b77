import BusClient
import BusService
import EventLoop
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: the journal has no gaps, snapshot and changes together are everything in order, and hints come after commits.
@Suite(.serialized) struct JournalTests {
    @Test(arguments: Engine.allCases)
    func `seq has no gaps per customer under concurrency, and revisions of a transaction come in order`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let customerApps = [try await store.customerApp("alice"), try await store.customerApp("bob")]
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    let customerApp = customerApps[number % 2]
                    group.addTask {
                        let value = try await customerApp.add(number % 3 == 0 ? "nothing" : "coins", key: "k\(number)")
                            .transaction
                        if number % 5 == 0 { try await customerApp.finish(value.id) }
                    }
                }
                try await group.waitForAll()
            }
            for customerApp in customerApps {
                let reply = try await customerApp.changes()
                #expect(reply.changes.map(\.seq) == Array(1...Int64(reply.changes.count)))
                #expect(reply.head == Int64(reply.changes.count))
                for (_, changes) in Dictionary(grouping: reply.changes, by: \.transactionID) {
                    #expect(changes.map(\.transaction?.revision) == (changes.count == 3 ? [1, 2, 2] : [1, 2]))
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a snapshot taken at any moment and the changes behind it rebuild the queue`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for number in 0..<15 {
                        let value = try await alice.add("coins", key: "k\(number)").transaction
                        if number % 2 == 0 { try await alice.finish(value.id) }
                    }
                }
                var snapshots: [Snapshot] = []
                for _ in 0..<10 { snapshots.append(try await alice.snapshot()) }
                try await group.waitForAll()
                let final = try await alice.snapshot()
                for snapshot in snapshots {
                    var queue = Dictionary(uniqueKeysWithValues: snapshot.transactions.map { ($0.id, $0.revision) })
                    for change in try await alice.changes(after: snapshot.seq).changes {
                        queue[change.transactionID] = change.kind == .removed ? nil : change.transaction?.revision
                    }
                    #expect(queue == Dictionary(uniqueKeysWithValues: final.transactions.map { ($0.id, $0.revision) }))
                }
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `every change is published once after its commit, on the customer's own subject`(_ engine: Engine) async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let hints = try await store.hints(of: alice) {
                let id = try await alice.add("coins", key: "k").transaction.id
                try await alice.finish(id)
                try await alice.finish(id)
            }
            #expect(hints == (try await alice.changes().changes))
        }
    }

    @Test(arguments: Engine.allCases)
    func `heads of many customers come in their order, unknown ones are 0, too many are refused`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            _ = try await bob.add("coins", key: "k")
            func heads(_ customers: [String]) async throws -> [Int64] {
                let references = customers.map {
                    CustomerReference(bundleId: Catalogue.bundleId, customerIdentifier: $0)
                }
                return try await store.caller.call(PaymentEndpoints.heads, HeadsRequest(customers: references)).heads
            }
            #expect(try await heads([alice.customer, "c_nobody", bob.customer, alice.customer]) == [0, 0, 2, 0])
            #expect(try await heads([]).isEmpty)
            #expect(try await store.heads(alice, alice.named("c_nobody")).storefronts == ["USA", ""])
            #expect(try await heads(Array(repeating: bob.customer, count: 500)) == Array(repeating: 2, count: 500))
            #expect(try await refusal { try await heads(Array(repeating: "x", count: 501)) }?.code == .requestInvalid)
        }
    }

    @Test(arguments: Engine.allCases)
    func `after 30 days the journal is pruned, and a reader from before takes a snapshot`(_ engine: Engine) async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "1")
            store.advance(by: .seconds(20 * 86_400))
            _ = try await alice.add("coins", key: "2")
            #expect(try await store.current.service.pruner.prune() == 0)
            store.advance(by: .seconds(11 * 86_400))
            #expect(try await store.current.service.pruner.prune() == 2)
            #expect(try await alice.changes(after: 0).snapshotRequired)
            #expect(try await alice.changes(after: 1).snapshotRequired)
            let rest = try await alice.changes(after: 2)
            #expect(!rest.snapshotRequired)
            #expect(rest.changes.map(\.seq) == [3, 4])
            #expect(try await alice.snapshot().transactions.count == 2)
            // A position from another database is ahead of this one.
            #expect(try await alice.changes(after: 5).snapshotRequired)
        }
    }

    @Test(arguments: Engine.allCases)
    func `changes come in pages`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            for number in 0..<3 { _ = try await alice.add("coins", key: "k\(number)") }
            let page = try await alice.changes(after: 1, limit: 2)
            #expect(page.changes.map(\.seq) == [2, 3])
            #expect(page.head == 6)
        }
    }
}
