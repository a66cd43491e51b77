import NIOHTTP1
import StoreModels
import Synchronization
import Testing

@testable import Gateway

@Suite struct PromptTests {
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
            #expect(told == [AnswerPromptRequest(id: "p1", answer: answer, error: error)])
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
