import BusService
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: an open sheet holds a purchase for as long as it takes; one answer counts, and after it the purchase ends as
/// if there had been no sheet.
@Suite(.serialized) struct PromptTests {
    /// A store in which alice has an open sheet.
    private func withSheet(
        of product: String = "coins", _ body: (TestStore, CustomerApp, Prompt) async throws -> Void
    ) async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let reply = try await alice.add(product, key: "k")
            #expect(reply.status == 202)
            #expect(reply.transaction.transactionState == .purchasing)
            try await body(store, alice, try await store.prompt())
        }
    }

    @Test func `M37, M140: an open sheet is purchasing, 202 at once, and nothing is charged`() async throws {
        try await withSheet { store, alice, prompt in
            #expect(prompt.kind == .sheet)
            #expect(prompt.account == "alice")
            #expect(prompt.bundleId == Catalogue.bundleId)
            #expect(prompt.answers == [.approve, .cancel, .decline])
            #expect(prompt.transaction == (try await alice.snapshot().transactions.first))
            // The sweep leaves it alone, and so does a repetition of the key.
            #expect(try await store.current.service.purchases.sweep() == 0)
            let again = try await alice.add("coins", key: "k")
            #expect(again.status == 202)
            #expect(again.transaction.id == prompt.transaction?.id)
            #expect(try await store.charges().isEmpty)
            // M28: nothing to finish yet.
            let refused = try await refusal { try await alice.finish(again.transaction.id) }
            #expect(refused?.code == .transactionNotFinishable)
        }
    }

    @Test func `approve ends as the purchase would have: charged once, purchased, the key's answer`() async throws {
        try await withSheet { store, alice, prompt in
            let answered = try await store.answer(prompt.id, .approve)
            #expect(answered.id == prompt.id)
            #expect(answered.transaction?.transactionState == .purchased)
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await store.charges().map(\.amount) == [.usd("0.99")])
            #expect(try await alice.changes().changes.map(\.transaction?.revision) == [1, 2])
            let replayed = try await alice.add("coins", key: "k")
            #expect(replayed.isReplayed)
            #expect(replayed.transaction == answered.transaction)
        }
    }

    @Test func `what costs nothing is approved without a charge`() async throws {
        try await withSheet(of: "gift") { store, _, prompt in
            let answered = try await store.answer(prompt.id, .approve)
            #expect(answered.transaction?.transactionState == .purchased)
            #expect(try await store.charges().isEmpty)
        }
    }

    @Test(arguments: [(Prompt.Answer.cancel, nil, 2), (.decline, nil, 0), (.decline, SKErrorCode.paymentInvalid, 3)])
    func `M31, M32: cancel and decline end in failed, nothing is charged, offer and product are free again`(
        _ answer: Prompt.Answer, _ error: SKErrorCode?, _ code: Int
    ) async throws {
        try await withSheet(of: "pro.monthly") { store, alice, prompt in
            #expect(try await alice.offers().map(\.introductoryOfferReserved) == [true])
            let answered = try await store.answer(prompt.id, answer, error: error)
            #expect(answered.transaction?.transactionState == .failed)
            #expect(answered.transaction?.error?.code == code)
            #expect(try await alice.offers().isEmpty)
            #expect(try await store.charges().isEmpty)
            try await alice.finish(try #require(answered.transaction?.id))
            #expect(try await alice.snapshot().transactions.isEmpty)
        }
    }

    @Test func `of many answers at once exactly one counts, the others find nothing`() async throws {
        try await withSheet { store, alice, prompt in
            let answers: [Prompt.Answer] = [.approve, .cancel, .decline]
            let outcomes = await withTaskGroup { group in
                for number in 0..<12 {
                    group.addTask { try? await store.answer(prompt.id, answers[number % 3]).transaction }
                }
                return await group.reduce(into: [PaymentTransaction]()) { if let value = $1 { $0.append(value) } }
            }
            #expect(outcomes.count == 1)
            #expect(outcomes == (try await alice.snapshot().transactions))
            #expect(try await store.charges().count == (outcomes.first?.transactionState == .purchased ? 1 : 0))
            let late = try await refusal { try await store.answer(prompt.id, .approve) }
            #expect(late?.code == .notFound)
        }
    }

    @Test func `an open sheet survives the process and is answered after it`() async throws {
        try await withSheet { store, alice, prompt in
            try await store.restartQueue()
            #expect(try await store.current.service.purchases.sweep() == 0)
            #expect(try await store.prompt() == prompt)
            #expect(try await store.answer(prompt.id, .approve).transaction?.transactionState == .purchased)
            #expect(try await alice.add("coins", key: "k").isReplayed)
        }
    }

    @Test func `the processor away: the answer is kept, the sweep charges later`() async throws {
        try await withSheet { store, alice, prompt in
            store.processor.set(trouble: .before)
            do {
                let answered = try await store.answer(prompt.id, .approve, within: .seconds(3))
                #expect(answered.transaction?.transactionState == .purchasing)
            } catch let error as StoreError where error.code == .deadlineExceeded {
                // The reply comes just before the deadline, on a busy machine behind it.
            }
            let late = try await refusal { try await store.answer(prompt.id, .cancel) }
            #expect(late?.code == .notFound)
            store.processor.set(trouble: .none)
            try await store.settle()
            #expect(try await alice.snapshot().transactions.map(\.transactionState) == [.purchased])
        }
    }

    @Test(arguments: [
        Checkpoint.insideAnswerCommit, .afterAnswerCommit, .afterCharge, .insideOutcomeCommit, .afterOutcomeCommit,
        .afterPublish,
    ])
    func `P1 to P5: dead while an answer is taken, it was given or it was not, and one charge comes of it`(
        _ checkpoint: Checkpoint
    ) async throws {
        try await withSheet { store, alice, prompt in
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await store.answer(prompt.id, .approve) }
            #expect(store.current.crash.hasCrashed)
            try await store.restartQueue()
            try await store.settle()
            if checkpoint == .insideAnswerCommit {
                #expect(try await store.charges().isEmpty)
                try await store.answer(try await store.prompt().id, .approve)
            }
            #expect(try await store.prompts().prompts.isEmpty)
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.transaction.transactionState == .purchased)
            #expect(try await store.charges().map(\.outcome) == [.approved])
            #expect(try await alice.changes().changes.map(\.seq) == [1, 2])
        }
    }

    @Test(arguments: [Checkpoint.insideFirstCommit, .afterFirstCommit], Engine.allCases)
    func `dead at the first commit, the sheet is there with its purchase or neither is`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await alice.add("coins", key: "k") }
            try await store.restartQueue()
            let count = checkpoint == .insideFirstCommit ? 0 : 1
            #expect(try await store.prompts().prompts.count == count)
            #expect(try await alice.snapshot().transactions.count == count)
            #expect(try await alice.add("coins", key: "k").status == 202)
            #expect(try await store.prompt().transaction?.payment.requestIdentifier == "k")
        }
    }

    @Test func `a second purchase of the product waits, and is asked about when the first is answered`() async throws {
        try await withSheet(of: "beaches") { store, alice, prompt in
            let second = try await alice.begin("beaches", key: "2")
            #expect(try await store.prompts().prompts.count == 1)
            try await store.answer(prompt.id, .cancel)
            try await store.settle()
            let next = try await store.prompt()
            #expect(next.transaction?.id == second.transaction.id)
            let answered = try await store.answer(next.id, .approve)
            #expect(answered.transaction?.transactionState == .purchased)
            #expect(answered.transaction?.price == .usd("1.99"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `prompts come oldest first, by account, in pages`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            var expected: [String] = []
            for number in 0..<3 {
                for account in ["alice", "bob"] {
                    let customerApp = try await store.customerApp(account)
                    try await store.set(account, TesterSettings(sheet: .interactive))
                    expected.append(try await customerApp.add("coins", key: "\(number)").transaction.id)
                }
            }
            let all = try await store.prompts()
            #expect(all.prompts.map(\.transaction?.id) == expected)
            #expect(all.after == nil)
            let first = try await store.prompts(limit: 4)
            #expect(first.prompts == Array(all.prompts.prefix(4)))
            #expect(try await store.prompts(after: first.after, limit: 4).prompts == Array(all.prompts.suffix(2)))
            #expect(try await store.prompts(of: "bob").prompts.map(\.account) == ["bob", "bob", "bob"])
            #expect(try await store.prompts(of: "carol").prompts.isEmpty)
            #expect(try await refusal { try await store.prompts(limit: 101) }?.code == .requestInvalid)
        }
    }

    @Test func `an answer that does not fit is refused and the prompt stays`() async throws {
        try await withSheet { store, _, prompt in
            let error = try await refusal { try await store.answer(prompt.id, .cancel, error: .paymentInvalid) }
            #expect(error?.code == .requestInvalid)
            #expect(try await store.prompt() == prompt)
            let unknown = try await refusal { try await store.answer("p_nobody", .approve) }
            #expect(unknown?.code == .notFound)
        }
    }
}
