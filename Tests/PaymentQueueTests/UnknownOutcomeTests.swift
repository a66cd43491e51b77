import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an unknown outcome is a state, and it is repaired by asking again; nothing is lost and nothing charged twice
/// (P1 to P5).
@Suite(.serialized) struct UnknownOutcomeTests {
    @Test(arguments: Engine.allCases)
    func `processor away: 202 while purchasing, resolved when it is back`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let reply = try await alice.begin("coins", key: "k")
            #expect(reply.status == 202)
            #expect(reply.transaction.transactionState == .purchasing)
            #expect(try await alice.changes().changes.map(\.transaction?.transactionState) == [.purchasing])
            try await store.startProcessor()
            try await store.settle()
            let settled = try await alice.get(reply.transaction.id)
            #expect(settled.transactionState == .purchased)
            let again = try await alice.add("coins", key: "k")
            #expect(again.isReplayed)
            #expect(again.transaction == settled)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a repetition of the key drives the purchase by itself`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let first = try await alice.begin("coins", key: "k")
            try await store.startProcessor()
            let second = try await alice.add("coins", key: "k")
            #expect(second.status == 201)
            #expect(!second.isReplayed)
            #expect(second.transaction.id == first.transaction.id)
        }
    }

    @Test(arguments: Engine.allCases)
    func `requests that wait are answered as soon as the processor is back`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let replies = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try await alice.add("coins", key: "k", within: .seconds(10)) } }
                try await eventually("the purchase has begun") { try await !alice.changes().changes.isEmpty }
                try await store.startProcessor()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 201 })
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an error after the charge is asked about again and found approved`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            store.processor.set(trouble: .after)
            let alice = try await store.customerApp()
            let reply = try await alice.begin("coins", key: "k")
            try await store.awaitCharge()
            // The mode changes in between, the outcome does not.
            store.processor.set(outcome: .declined)
            store.processor.set(trouble: .none)
            try await store.settle()
            #expect(try await alice.get(reply.transaction.id).transactionState == .purchased)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a charge given up by its tombstone ends in paymentCancelled`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            store.processor.set(trouble: .before)
            let alice = try await store.customerApp()
            let reply = try await alice.begin("coins", key: "k")
            _ = try await store.caller.call(
                ProcessorEndpoints.cancelCharge, CancelChargeRequest(chargeKey: "purchase:\(reply.transaction.id)"))
            store.processor.set(trouble: .none)
            try await store.settle()
            #expect(try await alice.get(reply.transaction.id).error?.code == 2)
        }
    }

    @Test(.slow, arguments: Checkpoint.ofPurchase, Engine.allCases)
    func `P1 to P5: dead at a checkpoint, the next process makes one charge and one transaction of it`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let queue = store.current
            queue.crash.arm(checkpoint)
            try await eventually("it has died") {
                _ = try? await alice.add("coins", key: "k", within: .milliseconds(500))
                return queue.crash.hasCrashed
            }
            try await store.restartQueue()
            // What was begun is resolved without a request (P4).
            try await store.settle()
            let begun = try await alice.changes().changes
            #expect(begun.isEmpty == [.beforeFirstCommit, .insideFirstCommit].contains(checkpoint))
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.status == 201)
            #expect(reply.transaction.transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
            #expect(try await store.transactions() == [reply.transaction])
            #expect(try await alice.snapshot().transactions == [reply.transaction])
            #expect(try await alice.changes().changes.map(\.seq) == [1, 2])
        }
    }

    @Test(arguments: [Checkpoint.insideFinishCommit, .afterFinishCommit], Engine.allCases)
    func `Q3, Q5: dead while finishing, the transaction is either there or gone, and finishing again is fine`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let id = try await alice.add("coins", key: "k").transaction.id
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await alice.finish(id) }
            try await store.restartQueue()
            let isThere = checkpoint == .insideFinishCommit
            #expect(try await alice.snapshot().transactions.map(\.id) == (isThere ? [id] : []))
            try await alice.finish(id)
            #expect(try await alice.snapshot().transactions.isEmpty)
            #expect(try await alice.changes().changes.map(\.kind) == [.updated, .updated, .removed])
        }
    }

    @Test(arguments: Engine.allCases)
    func `the sweep reads its rows page by page and leaves settled ones alone`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask { _ = try await alice.begin("coins", key: "k\(number)") }
                }
                try await group.waitForAll()
            }
            #expect(try await store.current.service.purchases.sweep() == 20)
            try await store.startProcessor()
            try await store.settle()
            #expect(try await store.charges().count == 20)
            let attempts = store.processor.attempts
            #expect(try await store.current.service.purchases.sweep() == 0)
            #expect(store.processor.attempts == attempts)
        }
    }
}
