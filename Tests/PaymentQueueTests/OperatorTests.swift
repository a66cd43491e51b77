import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an operator's decision on one transaction has one effect, and all operators get the same end (D1 to
/// D4); a transaction can be taken away as if it had never been.
@Suite(.serialized) struct OperatorTests {
    private func withDeferred(
        _ engine: Engine,
        of product: String = "coins", _ body: (TestStore, CustomerApp, PaymentTransaction) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(askToBuy: true))
            try await body(store, alice, try await alice.add(product, key: "k").transaction)
        }
    }

    @Test(arguments: Engine.allCases) func `a prompt has the app's time at which it came up`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(askToBuy: true))
            try await store.putClock("2031-05-06", frozen: true)
            _ = try await alice.add("coins", key: "k")
            let prompt = try #require(await store.prompts().prompts.first)
            #expect(prompt.askedAt == TestStore.instant("2031-05-06"))
            #expect(prompt.createdAt < TestStore.instant("2031-05-06"))
        }
    }

    @Test(arguments: Engine.allCases) func `D1, M29: approved, it is charged then and purchased; again is the same`(
        _ engine: Engine
    ) async throws {
        try await withDeferred(engine) { store, alice, deferred in
            #expect(try await store.charges().isEmpty)
            let approved = try await store.approve(deferred.id)
            #expect(approved.id == deferred.id)
            #expect(approved.transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await store.approve(deferred.id) == approved)
            #expect(try await store.decline(deferred.id) == approved)
            try await alice.finish(approved.id)
            #expect(try await store.approve(deferred.id) == approved)
            #expect(try await alice.add("coins", key: "k").transaction == approved)
        }
    }

    @Test(arguments: [nil, SKErrorCode.paymentNotAllowed], Engine.allCases)
    func `D2, M31: declined, it fails with the parent's error`(
        _ error: SKErrorCode?, _ engine: Engine
    ) async throws {
        try await withDeferred(engine, of: "pro.monthly") { store, alice, deferred in
            let declined = try await store.decline(deferred.id, error: error)
            #expect(declined.transactionState == .failed)
            #expect(declined.error?.code == error?.rawValue ?? 0)
            #expect(try await store.approve(deferred.id) == declined)
            #expect(try await store.charges().isEmpty)
            #expect(try await alice.offers().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `D2: of many decisions at once one counts, and all get the same final transaction`(_ engine: Engine)
        async throws
    {
        try await withDeferred(engine) { store, alice, deferred in
            let prompt = try await store.prompt().id
            let ends = try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask {
                        switch number % 3 {
                        case 0: try await store.approve(deferred.id)
                        case 1: try await store.decline(deferred.id)
                        // The prompt is answered too; a late answer finds none.
                        default: try? await store.answer(prompt, .approve).transaction
                        }
                    }
                }
                return try await group.reduce(into: Set<PaymentTransaction>()) {
                    if let value = $1 { $0.insert(value) }
                }
            }
            #expect(ends.count == 1)
            #expect(ends == Set(try await alice.snapshot().transactions))
            let isPurchased = ends.first?.transactionState == .purchased
            #expect(try await store.charges().count == (isPurchased ? 1 : 0))
            #expect(try await alice.changes().changes.map { $0.transaction?.revision } == [1, 2, 3])
        }
    }

    @Test(arguments: Engine.allCases)
    func `D3: with the processor away the decision is kept and the sweep ends it, charged once`(_ engine: Engine)
        async throws
    {
        try await withDeferred(engine) { store, alice, deferred in
            store.processor.set(trouble: .before)
            let approved = try await answered { try await store.approve(deferred.id, within: $0) }
            #expect(approved.transactionState == .deferred)
            async let late = store.decline(deferred.id)
            store.processor.set(trouble: .none)
            try await store.settle()
            #expect(try await late.transactionState == .purchased)
            #expect(try await alice.get(deferred.id).transactionState == .purchased)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `D4: what was never deferred is transactionStateInvalid, what is not there notFound`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("beaches", key: "1").transaction
            try await alice.finish(bought.id)
            let failed = try await alice.add("nothing", key: "2").transaction
            _ = try await alice.restore()
            let restored = try #require(
                try await alice.snapshot().transactions.first { $0.transactionState == .restored })
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let open = try await alice.add("coins", key: "3").transaction
            for value in [bought, failed, restored, open] {
                for word in [store.approve(_:within:), { id, _ in try await store.decline(id) }] {
                    let error = try await refusal { try await word(value.id, .seconds(5)) }
                    #expect(error?.code == .transactionStateInvalid)
                    #expect(error?.details["transactionState"] == .string(value.transactionState.rawValue))
                }
                #expect(try await refusal { try await store.resolve(value.id) }?.code == .transactionStateInvalid)
            }
            #expect(try await refusal { try await store.approve("t_nothing") }?.code == .notFound)
            #expect(try await refusal { try await store.resolve("t_nothing") }?.code == .notFound)
            #expect(try await store.prompts().prompts.count == 1)
        }
    }

    @Test(arguments: [Checkpoint.insideAnswerCommit, .afterAnswerCommit, .beforeCharge, .afterCharge], Engine.allCases)
    func `D1, D3: dead at a word, the next process ends what was said and charges once`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await withDeferred(engine) { store, alice, deferred in
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await store.approve(deferred.id) }
            try await store.restartQueue()
            try await store.settle()
            let isSaid = checkpoint != .insideAnswerCommit
            #expect(try await alice.get(deferred.id).transactionState == (isSaid ? .purchased : .deferred))
            #expect(try await store.approve(deferred.id).transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
        }
    }

    // MARK: Read

    @Test(arguments: Engine.allCases)
    func `one transaction is read as the list has it, with its customer`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let guide = try await alice.add("guide", key: "1").transaction
            try await alice.update(try #require(guide.downloads.first).id, .start)
            let coins = try await alice.add("coins", key: "2").transaction
            try await alice.finish(coins.id)
            _ = try await alice.add("nothing", key: "3")
            let list = try await store.caller.call(PaymentEndpoints.listTransactions, TransactionListRequest())
            #expect(list.transactions.count == 3)
            for (value, record) in zip(list.transactions, try #require(list.records)) {
                let listed = RecordedTransaction(transaction: value, record: record)
                #expect(try await store.find(value.id) == listed)
                if let number = value.transactionIdentifier { #expect(try await store.find(number) == listed) }
            }
            for id in ["t_nothing", "2999999999999999", ""] {
                #expect(try await refusal { try await store.find(id) }?.code == .notFound)
            }
        }
    }

    // MARK: Delete

    @Test(arguments: Engine.allCases)
    func `a deleted transaction is gone with what it gave, its key buys again, and streams report it`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("guide", key: "k").transaction
            let other = try await alice.add("coins", key: "other").transaction
            try await alice.update(try #require(bought.downloads.first).id, .start)
            try await store.delete(bought.id)
            #expect(try await refusal { try await alice.get(bought.id) }?.code == .notFound)
            #expect(try await alice.snapshot().transactions == [other])
            let last = try await alice.changes().changes.last
            #expect(last?.kind == .removed)
            #expect(last?.transaction?.id == bought.id)
            #expect(try await alice.restore().restored == 0)
            #expect(try await refusal { try await store.delete(bought.id) }?.code == .notFound)
            let again = try await alice.add("guide", key: "k").transaction
            #expect(again.price == .usd("2.99"))
            #expect(again.id != bought.id)
        }
    }

    @Test(arguments: Engine.allCases) func `one in flight is given up first: no charge is left without a transaction`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(trouble: .before)
            let pending = try await alice.begin("coins", key: "k").transaction
            store.processor.set(trouble: .none)
            try await store.delete(pending.id)
            #expect(try await store.charges().map(\.outcome) == [.cancelled])
            #expect(try await alice.snapshot().transactions.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases) func `a deferred one goes with its prompt`(_ engine: Engine) async throws {
        try await withDeferred(engine) { store, alice, deferred in
            try await store.delete(deferred.id)
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await alice.snapshot().transactions.isEmpty)
            #expect(try await refusal { try await store.approve(deferred.id) }?.code == .notFound)
        }
    }
}
