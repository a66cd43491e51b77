import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: where a purchase needs signing in, a person is asked, and again whenever what their app has not finished is
/// delivered again.
@Suite(.serialized) struct SignInPromptTests {
    private func withAsked(
        _ engine: Engine, _ settings: TesterSettings = TesterSettings(signIn: .interactive),
        _ body: (TestStore, CustomerApp) async throws -> Void
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", settings)
            try await body(store, alice)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M36: a purchase waits for the person to sign in, and is charged after that`(_ engine: Engine) async throws {
        try await withAsked(engine) { store, alice in
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.status == 202)
            let prompt = try await store.prompt()
            #expect(prompt.kind == .signIn)
            #expect(prompt.times == 1)
            #expect(prompt.answers == [.approve, .cancel, .decline])
            #expect(try await store.charges().isEmpty)
            #expect(try await store.answer(prompt.id, .approve).transaction?.transactionState == .purchased)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: [(Prompt.Answer.cancel, 2), (.decline, 0)], Engine.allCases)
    func `M36: who does not sign in buys nothing`(_ answer: (Prompt.Answer, Int), _ engine: Engine) async throws {
        try await withAsked(engine) { store, alice in
            _ = try await alice.add("pro.monthly", key: "k")
            let failed = try await store.answer(try await store.prompt().id, answer.0).transaction
            #expect(failed?.error?.code == answer.1)
            #expect(try await store.charges().isEmpty)
            #expect(try await alice.offers().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `signing in comes before the sheet, and the sheet before a parent`(_ engine: Engine) async throws {
        let settings = TesterSettings(askToBuy: true, signIn: .interactive, sheet: .interactive)
        try await withAsked(engine, settings) { store, alice in
            _ = try await alice.add("coins", key: "k")
            for kind in [Prompt.Kind.signIn, .sheet, .askToBuy] {
                let prompt = try await store.prompt()
                #expect(prompt.kind == kind)
                try await store.answer(prompt.id, .approve)
            }
            #expect(try await store.prompts().prompts.isEmpty)
            #expect(try await store.transactions().map(\.transactionState) == [.purchased])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M51: each launch that brings what is not finished asks to sign in again, and counts`(
        _ engine: Engine
    ) async throws {
        try await withAsked(engine, TesterSettings()) { store, alice in
            let first = try await alice.add("coins", key: "1").transaction
            let second = try await alice.add("coins", key: "2").transaction
            _ = try await alice.snapshot(launches: true)
            // By default no person is asked.
            #expect(try await store.prompts().prompts.isEmpty)
            try await store.set("alice", TesterSettings(signIn: .interactive))
            _ = try await alice.snapshot()
            #expect(try await store.prompts().prompts.isEmpty)
            for times in 1...3 {
                _ = try await alice.snapshot(launches: true)
                let prompt = try await store.prompt()
                #expect(prompt.kind == .signIn)
                #expect(prompt.times == times)
                #expect(prompt.transaction?.id == first.id)
                #expect(prompt.answers == [.approve, .cancel])
            }
            // With any answer, what was bought stays bought, and the next launch asks once more.
            let answered = try await store.answer(try await store.prompt().id, .cancel)
            #expect(answered.transaction?.transactionState == .purchased)
            _ = try await alice.snapshot(launches: true)
            #expect(try await store.prompt().times == 4)
            try await alice.finish(first.id)
            #expect(try await store.prompts().prompts.isEmpty)
            _ = try await alice.snapshot(launches: true)
            #expect(try await store.prompt().transaction?.id == second.id)
            try await alice.finish(second.id)
            _ = try await alice.snapshot(launches: true)
            #expect(try await store.prompts().prompts.isEmpty)
        }
    }
}
