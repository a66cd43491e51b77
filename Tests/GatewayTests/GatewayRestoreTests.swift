import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@Suite struct GatewayRestoreTests {
    private func restore(
        _ store: GatewayHarness, _ token: String, key: String? = "k1", body: String? = nil
    ) async throws -> Answer {
        try await store.send(
            .POST, "/v1/restore", token: token, headers: key.map { [("Idempotency-Key", $0)] } ?? [], body: body)
    }

    @Test func `a restore is 202 with its identifier, and its state is there to be asked (M38)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let answer = try await restore(store, token, body: #"{"applicationUsername":"u-17"}"#)
            #expect(answer.status == 202)
            #expect(answer.text == #"{"restoreIdentifier":"r_k1"}"#)
            let state = try await store.send(.GET, "/v1/restores/r_k1", token: token)
            #expect(state.status == 200)
            #expect(
                state.text
                    == #"{"applicationUsername":"u-17","restoreIdentifier":"r_k1","restored":0,"state":"running"}"#)
        }
    }

    @Test func `the same key is the same restore, said in the same words`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let first = try await restore(store, token)
            store.payments.contents.withLock { $0.restores["k1"]?.state = .finished }
            let again = try await restore(store, token)
            #expect(again.status == first.status)
            #expect(again.body == first.body)
            #expect(again.headers.first(name: "Idempotent-Replayed") == nil, "202 is no stored answer")
            let other = try await restore(store, token, body: #"{"applicationUsername":"somebody-else"}"#)
            #expect(other.status == 422)
            #expect(other.code == "keyReused")
        }
    }

    @Test func `a restore that failed says why (M42)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            _ = try await restore(store, token)
            store.payments.contents.withLock {
                $0.restores["k1"] = Restore(
                    restoreIdentifier: "r_k1", state: .failed,
                    error: TransactionError(.paymentCancelled, "Signing in was cancelled."), restored: 0)
            }
            let state = try await store.send(.GET, "/v1/restores/r_k1", token: token)
            #expect(state.json["state"] == "failed")
            #expect(state.json["error"]?["name"] == "paymentCancelled")
        }
    }

    @Test(arguments: [
        (nil, nil, "idempotencyKeyInvalid"), ("k", #"{"applicationUsername":""}"#, "requestInvalid"),
        ("k", #"{"applicationUserName":"u"}"#, "requestInvalid"),
        ("k", #"{"applicationUsername":7}"#, "requestInvalid"),
        ("k", "[]", "requestInvalid"),
    ])
    func `what is no restore is refused before any service is asked`(
        key: String?, body: String?, code: String
    ) async throws {
        try await GatewayHarness.run { store in
            let answer = try await restore(store, try await store.session(), key: key, body: body)
            #expect(answer.status == 400)
            #expect(answer.code == code)
            #expect(store.payments.contents.withLock { $0.restores.isEmpty })
        }
    }

    @Test func `an unanswered restore is an unknown outcome, and the key is safe`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            let answer = try await restore(store, token)
            #expect(answer.status == 504)
            #expect(answer.code == "outcomeUnknown")
            #expect(answer.json["retryable"] == true)
            store.payments.contents.withLock { $0.failure = nil }
            #expect(try await restore(store, token).status == 202)
        }
    }

    @Test func `without PaymentQueue nothing is restored`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.service.goAway()
            let answer = try await restore(store, token)
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
        }
    }
}
