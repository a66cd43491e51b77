import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an interrupted purchase fails without a charge, and once what interrupted it is resolved one new transaction
/// is purchased by itself (issue's state machine; P3, P5).
@Suite(.serialized) struct InterruptedPurchaseTests {
    private func withInterrupted(
        _ engine: Engine,
        of product: String = "coins", _ tester: TesterSettings = TesterSettings(interruptPurchases: true),
        _ body: (TestStore, CustomerApp, PaymentTransaction) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", tester)
            let reply = try await alice.add(product, key: "k")
            #expect(reply.status == 201)
            try await body(store, alice, reply.transaction)
        }
    }

    @Test(arguments: Engine.allCases) func `P5: failed with 0 and its reason, nothing charged, and the prompt stays`(
        _ engine: Engine
    ) async throws {
        try await withInterrupted(engine, of: "pro.monthly") { store, alice, failed in
            #expect(failed.transactionState == .failed)
            #expect(failed.error?.code == 0)
            #expect(failed.error?.reason == "interrupted")
            #expect(
                try await alice.changes().changes.map { $0.transaction?.transactionState } == [.purchasing, .failed])
            let prompt = try await store.prompt()
            #expect(prompt.kind == .interrupted)
            #expect(prompt.answers == [.approve, .cancel])
            #expect(prompt.transaction == failed)
            #expect(try await store.charges().isEmpty)
            #expect(try await alice.offers().isEmpty)
            #expect(try await store.current.service.purchases.sweep() == 0)
            // It is finished like any failed one, and the prompt outlives that and the process.
            try await alice.finish(failed.id)
            try await store.restartQueue()
            #expect(try await store.prompt().id == prompt.id)
        }
    }

    @Test(arguments: [false, true], Engine.allCases)
    func `resolved, one new transaction is purchased on the same device`(
        _ byPrompt: Bool, _ engine: Engine
    ) async throws {
        try await withInterrupted(engine) { store, alice, failed in
            let head = try await alice.changes().head
            let value: PaymentTransaction
            if byPrompt {
                value = try #require(try await store.answer(try await store.prompt().id, .approve).transaction)
            } else {
                value = try await store.resolve(failed.id)
            }
            #expect(value.transactionState == .purchased)
            #expect(value.supersedes == failed.id)
            #expect(value.id != failed.id)
            #expect(value.payment == failed.payment)
            #expect(value.originDeviceId == "phone")
            #expect(try await store.charges().map(\.chargeKey) == ["purchase:\(value.id)"])
            #expect(
                try await alice.changes(after: head).changes.map { $0.transaction?.transactionState }
                    == [.purchasing, .purchased])
            #expect(try await store.resolve(failed.id) == value)
            #expect(try await store.prompts().prompts.isEmpty)
            // P3: the key's answer is what it was.
            let replayed = try await alice.add("coins", key: "k")
            #expect(replayed.isReplayed)
            #expect(replayed.transaction == failed)
            #expect(try await alice.snapshot().transactions.map(\.id) == [failed.id, value.id])
        }
    }

    @Test(arguments: Engine.allCases) func `cancelled, there is nothing more to resolve`(_ engine: Engine) async throws
    {
        try await withInterrupted(engine) { store, alice, failed in
            let prompt = try await store.prompt()
            let declined = try await refusal { try await store.answer(prompt.id, .decline) }
            #expect(declined?.details["path"] == .string("$.answer"))
            #expect(try await store.answer(prompt.id, .cancel).transaction == failed)
            #expect(try await refusal { try await store.resolve(failed.id) }?.code == .transactionStateInvalid)
            #expect(try await alice.snapshot().transactions == [failed])
            #expect(try await store.charges().isEmpty)
        }
    }

    @Test(arguments: [Prompt.Answer.approve, .cancel], Engine.allCases)
    func `one of StoreKit 2 leaves the queue when the prompt is answered, both ways`(
        _ answer: Prompt.Answer, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(interruptPurchases: true))
            var payment = Payment(requestIdentifier: "k", productIdentifier: "coins")
            payment.returnsOutcome = true
            let failed = try await alice.add(payment).transaction
            #expect(try await alice.snapshot().transactions == [failed])
            let value = try #require(try await store.answer(try await store.prompt().id, answer).transaction)
            let isResolved = answer == .approve
            #expect(value.supersedes == (isResolved ? failed.id : nil))
            #expect(try await alice.snapshot().transactions.map(\.id) == (isResolved ? [value.id] : []))
            #expect(try await store.charges().count == (isResolved ? 1 : 0))
            if isResolved { #expect(try await store.resolve(failed.id) == value) }
            // P3: the key's answer is what it was.
            #expect(try await alice.add(payment).transaction == failed)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: however many resolve at once, there is one new transaction and one charge`(_ engine: Engine) async throws
    {
        try await withInterrupted(engine, of: "beaches") { store, alice, failed in
            let prompt = try await store.prompt().id
            let values = try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask {
                        number.isMultiple(of: 3)
                            ? try? await store.answer(prompt, .approve).transaction
                            : try await store.resolve(failed.id)
                    }
                }
                return try await group.reduce(into: Set<String>()) { if let value = $1 { $0.insert(value.id) } }
            }
            #expect(values.count == 1)
            #expect(try await store.charges().count == 1)
            #expect(try await store.transactions().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `while it is interrupted it keeps no other purchase out, and what is owned meanwhile costs nothing again`(
        _ engine: Engine
    )
        async throws
    {
        try await withInterrupted(engine, of: "beaches") { store, alice, failed in
            try await store.forget("alice")
            #expect(try await alice.add("beaches", key: "other").transaction.price == .usd("1.99"))
            let value = try await store.resolve(failed.id)
            #expect(value.transactionState == .purchased)
            #expect(value.price == .usd("0.00"))
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `P6: what was quoted then is what is charged`(_ engine: Engine) async throws
    {
        try await withInterrupted(engine) { store, _, failed in
            store.catalogue.sell(.product("coins", .consumable, "5.99"))
            let value = try await store.resolve(failed.id)
            #expect(value.price == .usd("0.99"))
        }
    }

    @Test(arguments: Engine.allCases) func `the sheet comes before the interruption, the parent after it`(
        _ engine: Engine
    ) async throws {
        let tester = TesterSettings(askToBuy: true, interruptPurchases: true, sheet: .interactive)
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", tester)
            #expect(try await alice.add("beaches", key: "k").transaction.transactionState == .purchasing)
            let failed = try #require(try await store.answer(try await store.prompt().id, .approve).transaction)
            #expect(failed.error?.reason == "interrupted")
            let deferred = try await store.resolve(failed.id)
            #expect(deferred.transactionState == .deferred)
            #expect(try await store.charges().isEmpty)
            let value = try await store.approve(deferred.id)
            #expect(value.transactionState == .purchased)
            #expect(value.supersedes == failed.id)
            #expect(try await store.resolve(failed.id) == value)
        }
    }

    @Test(arguments: Engine.allCases) func `one that waited for another purchase is interrupted when its turn comes`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            _ = try await alice.begin("beaches", key: "1")
            try await store.set("alice", TesterSettings(interruptPurchases: true))
            let second = try await alice.begin("beaches", key: "2").transaction
            store.processor.set(outcome: .declined)
            try await store.startProcessor()
            try await store.settle()
            #expect(try await alice.get(second.id).error?.reason == "interrupted")
            store.processor.set(outcome: .approved)
            #expect(try await store.resolve(second.id).price == .usd("1.99"))
        }
    }

    @Test(
        arguments: [
            Checkpoint.insideAnswerCommit, .afterAnswerCommit, .beforeCharge, .afterCharge, .insideOutcomeCommit,
            .afterOutcomeCommit,
        ], Engine.allCases)
    func `P1 to P5: dead while it is resolved, one new transaction and one charge come of it`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await withInterrupted(engine) { store, alice, failed in
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await store.resolve(failed.id) }
            try await store.restartQueue()
            try await store.settle()
            let value = try await store.resolve(failed.id)
            #expect(value.transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
            #expect(try await alice.snapshot().transactions.map(\.id) == [failed.id, value.id])
        }
    }

    @Test(arguments: Engine.allCases) func `cleared away, nothing of it is left to resolve`(_ engine: Engine)
        async throws
    {
        try await withInterrupted(engine) { store, alice, failed in
            _ = try await store.resolve(failed.id)
            #expect(try await store.clear("alice") == 2)
            #expect(try await refusal { try await store.resolve(failed.id) }?.code == .notFound)
        }
    }
}
