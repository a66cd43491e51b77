import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: ask to buy is deferred until a parent has answered; the same transaction goes on, and only then is it charged.
@Suite(.serialized) struct AskToBuyTests {
    private func withQuestion(
        of product: String = "coins", _ body: (TestStore, CustomerApp, PaymentTransaction) async throws -> Void
    ) async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(askToBuy: true))
            let reply = try await alice.add(product, key: "k")
            #expect(reply.status == 202)
            #expect(reply.transaction.transactionState == .deferred)
            try await body(store, alice, reply.transaction)
        }
    }

    @Test func `M29: deferred after purchasing, on every device, not finishable, and other purchases go on`()
        async throws
    {
        try await withQuestion { store, alice, deferred in
            #expect(try await alice.changes().changes.map(\.transaction?.transactionState) == [.purchasing, .deferred])
            #expect(try await store.prompt().kind == .askToBuy)
            #expect(try await store.prompt().answers == [.approve, .decline])
            #expect(try await store.charges().isEmpty)
            #expect(try await store.current.service.purchases.sweep() == 0)
            // Deferred survives the launch, with its identifier, on the other device too.
            try await store.restartQueue()
            #expect(try await alice.on(device: "pad").snapshot(launches: true).transactions.map(\.id) == [deferred.id])
            let refused = try await refusal { try await alice.finish(deferred.id) }
            #expect(refused?.code == .transactionNotFinishable)
            try await store.set("alice", TesterSettings())
            #expect(try await alice.add("coins", key: "other").transaction.transactionState == .purchased)
            #expect(try await alice.add("coins", key: "k").status == 202)
        }
    }

    @Test func `M29, M30: approved, the same transaction is charged and purchased`() async throws {
        try await withQuestion { store, alice, deferred in
            store.advance(by: .seconds(3 * 86_400))
            let answered = try await store.answer(try await store.prompt().id, .approve)
            #expect(answered.transaction?.id == deferred.id)
            #expect(answered.transaction?.transactionState == .purchased)
            #expect(answered.transaction?.transactionDate == store.now)
            #expect(try await store.charges().count == 1)
            #expect(try await alice.changes().changes.map(\.transaction?.revision) == [1, 2, 3])
            #expect(try await alice.add("coins", key: "k").transaction == answered.transaction)
        }
    }

    @Test func `M29, M31: declined, the same transaction fails and nothing is charged`() async throws {
        try await withQuestion(of: "pro.monthly") { store, alice, deferred in
            #expect(try await alice.offers().map(\.introductoryOfferReserved) == [true])
            let prompt = try await store.prompt()
            let cancel = try await refusal { try await store.answer(prompt.id, .cancel) }
            #expect(cancel?.details["path"] == .string("$.answer"))
            let answered = try await store.answer(prompt.id, .decline)
            #expect(answered.transaction?.id == deferred.id)
            #expect(answered.transaction?.transactionState == .failed)
            #expect(answered.transaction?.error?.code == 0)
            #expect(answered.transaction?.error?.reason == "declinedByParent")
            #expect(try await alice.offers().isEmpty)
            #expect(try await store.charges().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M29: the payment itself can ask, and the sheet comes first`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let payment = Payment(
                requestIdentifier: "k", productIdentifier: "coins", simulatesAskToBuyInSandbox: true)
            #expect(try await alice.add(payment).transaction.transactionState == .purchasing)
            let sheet = try await store.prompt()
            #expect(sheet.kind == .sheet)
            #expect(try await store.answer(sheet.id, .approve).transaction?.transactionState == .deferred)
            let parent = try await store.prompt()
            #expect(parent.kind == .askToBuy)
            #expect(try await store.charges().isEmpty)
            #expect(try await store.answer(parent.id, .approve).transaction?.transactionState == .purchased)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: [Checkpoint.afterAnswerCommit, .afterCharge, .insideOutcomeCommit])
    func `P4: dead after a parent has agreed, the next process charges once and purchases`(
        _ checkpoint: Checkpoint
    ) async throws {
        try await withQuestion { store, alice, deferred in
            store.current.crash.arm(checkpoint)
            let prompt = try await store.prompt()
            await #expect(throws: StoreError.self) { try await store.answer(prompt.id, .approve) }
            try await store.restartQueue()
            #expect(try await alice.get(deferred.id).transactionState == .deferred)
            try await store.settle()
            #expect(try await alice.get(deferred.id).transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
        }
    }
}
