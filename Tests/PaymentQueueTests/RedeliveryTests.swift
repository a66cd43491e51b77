import BusClient
import BusService
import EventLoop
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: the operator gives an unfinished transaction to the observers once more, and changes nothing else.
@Suite(.serialized) struct RedeliveryTests {
    private func deferred(_ store: TestStore, _ alice: CustomerApp, key: String) async throws -> PaymentTransaction {
        try await store.set("alice", TesterSettings(askToBuy: true))
        let value = try await alice.add("coins", key: key).transaction
        try await store.set("alice", TesterSettings())
        return value
    }

    @Test(arguments: Engine.allCases)
    func `P7: it comes as the next revision, and is no event, no delivery of a launch and no other reply`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let beaches = try await alice.add("beaches", key: "beaches").transaction
            try await alice.finish(beaches.id)
            _ = try await alice.restore()
            let bought = try await alice.add("coins", key: "bought").transaction
            let failed = try await alice.add("nothing", key: "failed").transaction
            let waits = try await deferred(store, alice, key: "deferred")
            _ = try await alice.snapshot(launches: true)
            let position = try await store.position()
            let unfinished = try await alice.snapshot().transactions
            #expect(Set(unfinished.map(\.transactionState)) == [.restored, .purchased, .failed, .deferred])
            for known in unfinished {
                let head = try await alice.changes().head
                for revision in [known.revision + 1, known.revision + 2] {
                    let again = try await store.redeliver(known.id)
                    #expect(again == with(known) { $0.revision = revision })
                    #expect(again.deliveries == 1)
                    #expect(try await alice.get(known.id) == again)
                }
                let changes = try await alice.changes(after: head).changes
                #expect(changes.map(\.kind) == [.updated, .updated])
                #expect(changes.map(\.transaction?.revision) == [known.revision + 1, known.revision + 2])
            }
            // An idempotency key keeps its reply, and the number names the transaction as well as its `id`.
            #expect(try await alice.add("coins", key: "bought").transaction == bought)
            #expect(try await alice.add("nothing", key: "failed").transaction == failed)
            #expect(
                try await store.redeliver(try #require(bought.transactionIdentifier)).revision == bought.revision + 3)
            #expect(try await store.approve(waits.id).revision == waits.revision + 3)
            #expect(
                try await store.events(after: position, count: 1).map(\.transaction.id) == [waits.id],
                "the purchase is the only event")
        }
    }

    @Test(arguments: Engine.allCases)
    func `Q3: a finished one, a purchasing one and an unknown one are refused, and nothing is sent`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "1").transaction
            try await alice.finish(bought.id)
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let open = try await alice.add("coins", key: "2").transaction
            #expect(open.transactionState == .purchasing)
            let before = try await alice.changes()
            for value in [bought, open] {
                let error = try await refusal { try await store.redeliver(value.id) }
                #expect(error?.code == .transactionStateInvalid)
                #expect(error?.details["transactionState"] == .string(value.transactionState.rawValue))
            }
            #expect(try await refusal { try await store.redeliver("t_nothing") }?.code == .notFound)
            #expect(try await refusal { try await store.redeliver("2999999999999999") }?.code == .notFound)
            #expect(try await alice.changes() == before)
        }
    }

    @Test(arguments: Engine.allCases)
    func `open streams get it, and each device of its downloads as they are`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let guide = try await alice.add("guide", key: "k").transaction
            let download = try #require(guide.downloads.first)
            try await alice.update(download.id, .start)
            let head = try await alice.changes().head
            let hints = try await store.hints(of: alice) {
                let again = try await store.redeliver(guide.id)
                #expect(again.downloads.map(\.state) == [.active])
            }
            let changes = try await alice.changes(after: head).changes
            #expect(changes.map(\.kind) == [.updated, .downloadsUpdated])
            #expect(changes.last?.downloads?.map(\.state) == [.active])
            #expect(changes.last?.deviceId == alice.device)
            #expect(hints == changes)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P7: beside an approval it charges once, and revisions only grow`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let waits = try await deferred(store, alice, key: "k")
            try await withThrowingTaskGroup { group in
                for number in 0..<10 {
                    group.addTask {
                        if number == 5 {
                            _ = try await store.approve(waits.id, within: .seconds(20))
                        } else {
                            try await store.redeliver(waits.id)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await store.settle()
            #expect(try await alice.get(waits.id).transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
            let revisions = try await alice.changes().changes.compactMap(\.transaction?.revision)
            #expect(revisions == Array(1...12))
        }
    }
}
