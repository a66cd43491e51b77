import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@Suite struct GatewayPromptTests {
    private let key = Sample.adminKey

    private func prompt(_ id: String, account: String = "alice") -> Prompt {
        Prompt(
            id: id, kind: .sheet, bundleId: Sample.bundleId, account: account, transaction: Sample.purchasing("t1"),
            createdAt: Timestamp(milliseconds: 1_790_000_000_000), answers: [.approve, .cancel, .decline])
    }

    @Test func `prompts are listed by account, in pages`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.prompts = [prompt("p1"), prompt("p2"), prompt("p3", account: "bob")]
            }
            let all = try await store.send(.GET, "/admin/v1/prompts?limit=2", token: key)
            #expect((all.json["prompts"]?.arrayValue ?? []).compactMap { $0["id"] } == ["p1", "p2"])
            #expect(all.json["after"] == "p2")
            let bob = try await store.send(.GET, "/admin/v1/prompts?account=bob", token: key)
            #expect((bob.json["prompts"]?.arrayValue ?? []).compactMap { $0["id"] } == ["p3"])
            #expect(bob.json["prompts"]?.arrayValue?.first?["answers"] == .array(["approve", "cancel", "decline"]))
        }
    }

    @Test(arguments: [
        (#"{"answer":"approve"}"#, Prompt.Answer.approve, nil as SKErrorCode?),
        (#"{"answer":"decline"}"#, .decline, nil), (#"{"answer":"decline","error":3}"#, .decline, .paymentInvalid),
        (#"{"answer":"decline","error":"paymentNotAllowed"}"#, .decline, .paymentNotAllowed),
        (#"{"answer":"cancel","error":null}"#, .cancel, nil),
    ])
    func `an answer is passed on`(body: String, answer: Prompt.Answer, error: SKErrorCode?) async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.prompts = [prompt("p1")] }
            let reply = try await store.send(.POST, "/admin/v1/prompts/p1", token: key, body: body)
            #expect(reply.status == 200)
            #expect(reply.json["id"] == "p1")
            let told = store.payments.contents.withLock { $0.answers }
            #expect(
                told == [AnswerPromptRequest(ScopedIdentifier("p1", in: .installation), answer: answer, error: error)])
            #expect(try await store.send(.POST, "/admin/v1/prompts/p1", token: key, body: body).status == 404)
        }
    }

    @Test(arguments: [
        (#"{"answer":"perhaps"}"#, "$.answer"), ("{}", "$.answer"), (#"{"answer":"decline","error":99}"#, "$.error"),
        (#"{"answer":"decline","error":"nothing"}"#, "$.error"), (#"{"answer":"approve","error":3}"#, "$.error"),
        (#"{"answer":"approve","because":1}"#, "$.because"), (#"{"answer":"decline","error":true}"#, "$.error"),
    ])
    func `a wrong answer is refused`(body: String, path: String) async throws {
        try await GatewayHarness.run { store in
            let reply = try await store.send(.POST, "/admin/v1/prompts/p1", token: key, body: body)
            #expect(reply.status == 400)
            #expect(reply.json["path"]?.stringValue == path)
            #expect(store.payments.contents.withLock { $0.answers.isEmpty })
        }
    }

    /// In the order of their age, for any service.
    private func asked(_ id: String, _ seconds: Int64) -> Prompt {
        Prompt(
            id: id, kind: id.hasPrefix("ap_") ? .appPurchase : .sheet, bundleId: Sample.bundleId, account: "alice",
            transaction: nil, createdAt: Timestamp(milliseconds: 1_790_000_000_000 + seconds * 1000),
            answers: [.approve, .cancel])
    }

    @Test(arguments: [1, 2, 3, 100])
    func `apps to be bought stand among the others, oldest first, in pages (M72)`(limit: Int) async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.prompts = [asked("p_1", 1), asked("p_2", 2), asked("p_3", 6)] }
            store.promotions.contents.withLock { $0.prompts = [asked("ap_1", 3), asked("ap_2", 4), asked("ap_3", 5)] }
            var found: [String] = []
            var after: String?
            repeat {
                let query = "?limit=\(limit)" + (after.map { "&after=\($0)" } ?? "")
                let page = try await store.send(.GET, "/admin/v1/prompts\(query)", token: key)
                let prompts = (page.json["prompts"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
                #expect(prompts.count <= limit && !prompts.isEmpty)
                #expect(page.json["degraded"] == .array([]))
                found += prompts
                after = page.json["after"]?.stringValue
            } while after != nil
            #expect(found == ["p_1", "p_2", "ap_1", "ap_2", "ap_3", "p_3"])
        }
    }

    @Test func `an app to be bought is listed with the product that asks for it and its price (M72)`() async throws {
        try await GatewayHarness.run { store in
            var prompt = asked("ap_1", 1)
            prompt.productIdentifier = "com.example.pro"
            prompt.appPrice = Money(minorUnits: 499, currency: Sample.dollars)
            store.promotions.contents.withLock { $0.prompts = [prompt] }
            let answer = try await store.send(.GET, "/admin/v1/prompts", token: key)
            let listed = try #require(answer.json["prompts"]?.arrayValue?.first)
            #expect(listed["productIdentifier"] == "com.example.pro")
            #expect(listed["appPrice"] == .object(["amount": "4.99", "currency": "USD"]))
        }
    }

    @Test func `an app is bought, or not, at the service that asks`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.contents.withLock { $0.prompts = [asked("ap_1", 1)] }
            let body = #"{"answer":"approve"}"#
            let answer = try await store.send(.POST, "/admin/v1/prompts/ap_1", token: key, body: body)
            #expect(answer.status == 200)
            #expect(answer.json["kind"] == "appPurchase")
            #expect(try await store.send(.POST, "/admin/v1/prompts/ap_1", token: key, body: body).status == 404)
            #expect(store.promotions.contents.withLock { $0.answers.map(\.prompt.id) } == ["ap_1", "ap_1"])
            #expect(store.payments.contents.withLock { $0.answers.isEmpty })
        }
    }

    @Test func `without PromotionController the others are listed, and the list says so`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.prompts = [asked("p_1", 1)] }
            store.promotions.goAway()
            let answer = try await store.send(.GET, "/admin/v1/prompts", token: key)
            #expect(answer.status == 200)
            #expect(answer.json["degraded"] == .array(["promotions"]))
            #expect(answer.json["prompts"]?.arrayValue?.count == 1)
        }
    }

    @Test func `an answer whose fate is unknown says so`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.failure = StoreError(.deadlineExceeded, "too late") }
            let reply = try await store.send(
                .POST, "/admin/v1/prompts/p1", token: key, body: #"{"answer":"approve"}"#)
            #expect(reply.status == 504)
            #expect(reply.code == "outcomeUnknown")
        }
    }
}
