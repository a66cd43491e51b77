import BusService
import Persistence
import StoreModels
import StorebusTesting
import Testing

/// Goal: an app that costs something is bought before what was tapped in the store (M72).
@Suite(.serialized) struct PromotionPromptTests {
    private func start(_ phone: Phone, _ product: String = "coins") async throws -> StartPurchaseReply {
        try await phone.start(product) {
            $0.charge(forApp: 499)
            $0.currentVersion = "2.0"
        }
    }

    @Test(arguments: Engine.allCases)
    func `M72: a paid app asks first, once for all that was tapped, and survives a restart`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            try await alice.openStore()
            let first = try await start(alice)
            #expect(first.outcome == .promptBuyApp && first.intentIdentifier != nil)
            #expect(try await start(alice) == first)
            #expect(try await start(alice, "gems").outcome == .promptBuyApp)
            try await store.restartController()
            let prompts = try await store.prompts()
            #expect(prompts.count == 1)
            let prompt = try #require(prompts.first)
            #expect(prompt.id.hasPrefix("ap_") && prompt.kind == .appPurchase && prompt.account == "alice")
            #expect(prompt.bundleId == PromotionTestStore.bundleId && prompt.transaction == nil)
            #expect(prompt.answers == [.approve, .cancel, .decline])
            // Of what began it, and of the app itself.
            #expect(prompt.productIdentifier == "coins" && prompt.appPrice?.amount == "4.99")
            #expect(try await store.prompts(of: "bob").isEmpty)
            #expect(try await alice.state().apps.isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M72, M73: buying the app installs it, and the intent comes with its first launch`(_ engine: Engine)
        async throws
    {
        try await PromotionTestStore.with(engine) { store in
            let alice = store.phone()
            try await alice.openStore()
            let intent = try #require(try await start(alice).intentIdentifier)
            let prompt = try #require(try await store.prompts().first)
            #expect(try await store.answer(prompt.id, .approve) == prompt)
            #expect(try await refusal { try await store.answer(prompt.id, .cancel) }?.code == .notFound)
            let app = try #require(try await alice.state().apps.first)
            #expect(app.version == "2.0" && !app.isLaunched)
            #expect(try await alice.get(intent).state == .pending)
            try await alice.launch(version: "2.0")
            #expect(try await alice.deliver().intents.map(\.intentIdentifier) == [intent])
        }
    }

    @Test(arguments: Engine.allCases, [Prompt.Answer.cancel, .decline])
    func `who does not buy the app does not buy in it: the intents that waited are cancelled`(
        _ engine: Engine, _ answer: Prompt.Answer
    ) async throws {
        try await PromotionTestStore.with(engine) { store in
            let (alice, bob) = (store.phone(), store.phone("alice-1", of: "bob"))
            try await alice.openStore()
            let mine = [try await start(alice), try await start(alice, "gems")].compactMap(\.intentIdentifier)
            let his = try #require(try await start(bob).intentIdentifier)
            let prompt = try #require(try await store.prompts(of: "alice").first)
            try await store.answer(prompt.id, answer)
            for intent in mine {
                let cancelled = try await alice.get(intent)
                #expect(cancelled.state == .cancelled && cancelled.feedback == "the app was not bought")
            }
            #expect(try await bob.get(his).state == .pending)
            #expect(try await store.prompts().map(\.account) == ["bob"])
            #expect(try await alice.state().apps.isEmpty)
            // Another tap asks again.
            #expect(try await start(alice).outcome == .promptBuyApp)
            #expect(try await store.prompts().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `launching or installing the app answers the prompt`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            let (alice, bob) = (store.phone("alice-1"), store.phone("bob-1", of: "bob"))
            for phone in [alice, bob] {
                try await phone.openStore()
                _ = try await start(phone)
            }
            #expect(try await store.prompts().count == 2)
            try await alice.launch()
            #expect(try await store.prompts().map(\.account) == ["bob"])
            try await bob.install(version: "1.0")
            #expect(try await store.prompts().isEmpty)
            #expect(try await alice.deliver().intents.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `of answers at once one counts`(_ engine: Engine) async throws {
        try await PromotionTestStore.with(engine) { store in
            if engine == .postgres { try await store.startReplica() }
            let alice = store.phone()
            try await alice.openStore()
            let intent = try #require(try await start(alice).intentIdentifier)
            let prompt = try #require(try await store.prompts().first)
            let answered = try await withThrowingTaskGroup(of: Prompt.Answer?.self) { group in
                for number in 0..<8 {
                    let answer = Prompt.Answer.allCases[number % 3]
                    group.addTask {
                        let error = try await refusal { try await store.answer(prompt.id, answer) }
                        if let error { #expect(error.code == .notFound) }
                        return error == nil ? answer : nil
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }.compactMap(\.self)
            }
            #expect(answered.count == 1)
            #expect(try await alice.state().apps.isEmpty == (answered.first != .approve))
            #expect(try await alice.get(intent).state == (answered.first == .approve ? .pending : .cancelled))
        }
    }

    @Test func `a prompt from before the product and the price were kept is listed without them`() async throws {
        try await PromotionTestStore.with { store in
            let alice = store.phone()
            try await alice.openStore()
            _ = try await start(alice)
            _ = try await store.database.write { transaction in
                try await transaction.execute("UPDATE app_prompt SET product_identifier = NULL, app_price = NULL")
            }
            let prompt = try #require(try await store.prompts().first)
            #expect(prompt.productIdentifier == nil && prompt.appPrice == nil)
            #expect(try await store.answer(prompt.id, .approve) == prompt)
        }
    }

    @Test func `prompts are listed in pages, and none has an error`() async throws {
        try await PromotionTestStore.with { store in
            for number in 1...3 {
                let phone = store.phone("d\(number)", of: "a\(number)")
                try await phone.openStore()
                _ = try await start(phone)
                store.wait(.milliseconds(1))
            }
            func page(after: String?) async throws -> PromptsPage {
                try await store.caller.call(PromotionEndpoints.listPrompts, PromptsRequest(after: after, limit: 2))
            }
            let first = try await page(after: nil)
            #expect(first.prompts.map(\.account) == ["a1", "a2"])
            let second = try await page(after: first.after)
            #expect(second.prompts.map(\.account) == ["a3"] && second.after == nil)
            let error = try await refusal {
                try await store.caller.call(
                    PromotionEndpoints.answerPrompt,
                    AnswerPromptRequest(
                        ScopedIdentifier(first.prompts[0].id, in: .installation), answer: .decline, error: .unknown))
            }
            #expect(error?.code == .requestInvalid)
        }
    }
}
