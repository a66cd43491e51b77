import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// Purchases that began in the store, and what the app says to them.
@Suite struct IntentTests {
    private func decide(
        _ store: GatewayHarness, _ token: String, _ body: String, id: String = "i_1"
    ) async throws -> Answer {
        try await store.send(.POST, "/v1/intents/\(id)/decision", token: token, body: body)
    }

    @Test func `a device sees its own, in the states it asks for`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.promotions.begin("i_2", device: "alice-2")
            let token = try await store.session()
            let all = try await store.send(.GET, "/v1/intents", token: token)
            #expect(all.status == 200)
            #expect((all.json["intents"]?.arrayValue ?? []).map { $0["intentIdentifier"] } == ["i_1"])
            #expect(all.json["intents"]?.arrayValue?.first?["state"] == "pending")
            _ = try await store.send(
                .GET, "/v1/intents?state=pending,deferred&limit=7&after=i_0", token: token)
            let asked = store.promotions.contents.withLock { $0.lists.last }
            #expect(asked?.states == [.pending, .deferred])
            #expect(asked?.limit == 7)
            #expect(asked?.after == "i_0")
            #expect(try await store.send(.GET, "/v1/intents?state=open", token: token).status == 400)
            #expect(try await store.send(.GET, "/v1/intents/i_1", token: token).json["source"] == "storePage")
        }
    }

    @Test(arguments: [
        ("defer", StorePurchaseIntent.State.deferred), ("cancel", .cancelled),
    ])
    func `what makes no transaction is 200, and the same again too (M79)`(
        decision: String, state: StorePurchaseIntent.State
    ) async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            for _ in 0..<2 {
                let answer = try await decide(store, token, #"{"decision":"\#(decision)"}"#)
                #expect(answer.status == 200)
                #expect(answer.json["intent"]?["state"]?.stringValue == state.rawValue)
                #expect(answer.json["transaction"] == nil)
            }
        }
    }

    @Test func `feedback goes with cancel (M85)`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            let long = String(repeating: "x", count: 501)
            for body in [
                #"{"decision":"defer","feedback":"later"}"#, #"{"decision":"cancel","feedback":"\#(long)"}"#,
                #"{"decision":"maybe"}"#, "{}", #"{"decision":"defer","why":1}"#,
            ] {
                #expect(try await decide(store, token, body).status == 400)
            }
            #expect(store.promotions.contents.withLock { $0.decisions.isEmpty })
            let answer = try await decide(store, token, #"{"decision":"cancel","feedback":"You own it."}"#)
            #expect(answer.json["intent"]?["feedback"] == "You own it.")
        }
    }

    @Test(arguments: [201, 202])
    func `continue answers as the queue does, and 200 the second time (M78)`(status: Int) async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.promotions.contents.withLock { $0.added?.status = status }
            let token = try await store.session()
            let first = try await decide(store, token, #"{"decision":"continue"}"#)
            #expect(first.status == status)
            #expect(first.json["intent"]?["state"] == "continued")
            #expect(first.json["transaction"]?["id"] == "t_intent")
            let second = try await decide(store, token, #"{"decision":"continue"}"#)
            #expect(second.status == 200)
            #expect(second.json["transaction"]?["id"] == "t_intent")
            let other = try await decide(store, token, #"{"decision":"cancel"}"#)
            #expect(other.status == 409)
            #expect(other.code == "intentDecided")
        }
    }

    @Test func `a decision made before the queue has answered is 202 without a transaction`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.promotions.contents.withLock { $0.added = nil }
            let answer = try await decide(store, try await store.session(), #"{"decision":"continue"}"#)
            #expect(answer.status == 202)
            #expect(answer.json["intent"]?["state"] == "continued")
            #expect(answer.json["transaction"] == nil)
        }
    }

    @Test func `a decision whose fate is unknown says so, and may be repeated`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            store.promotions.contents.withLock { $0.failure = StoreError(.deadlineExceeded, "too late") }
            let answer = try await decide(store, token, #"{"decision":"continue"}"#)
            #expect(answer.status == 504)
            #expect(answer.code == "outcomeUnknown")
            #expect(answer.json["retryable"] == true)
        }
    }

    // MARK: The saved payment

    private func pay(
        _ store: GatewayHarness, _ token: String, intent: String = "i_1", product: String = "com.example.pro",
        more: String = ""
    ) async throws -> Answer {
        try await store.send(
            .POST, "/v1/payments", token: token, headers: [("Idempotency-Key", "own-key")],
            body: #"{"productIdentifier":"\#(product)","quantity":1,"intentIdentifier":"\#(intent)"\#(more)}"#)
    }

    @Test func `the saved payment goes by way of the intent, under its own key (M80, M82, I3)`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            let answer = try await pay(store, token)
            #expect(answer.status == 201)
            #expect(answer.json["id"] == "t_intent")
            #expect(answer.headers.first(name: "Idempotent-Replayed") == nil)
            let added = try #require(store.promotions.contents.withLock { $0.additions.last })
            #expect(added.payment.requestIdentifier == "own-key")
            #expect(added.payment.intentIdentifier == "i_1")
            #expect(added.deviceId == Sample.deviceId)
            #expect(store.payments.contents.withLock { $0.transactions.isEmpty }, "nothing goes past the intent")
            #expect(try await pay(store, token, more: #","offer":{"winBack":"back"}"#).status == 201)
            #expect(store.promotions.contents.withLock { $0.additions.map(\.offer) } == [nil, "back"])
            store.promotions.contents.withLock { $0.added?.isReplayed = true }
            #expect(try await pay(store, token).headers.first(name: "Idempotent-Replayed") == "true")
        }
    }

    @Test func `another product than the intent's is a mismatch, another's intent is not there`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            let mismatch = try await pay(store, token, product: "com.example.fishing")
            #expect(mismatch.status == 422)
            #expect(mismatch.code == "intentMismatch")
            let foreign = try await pay(store, try await store.session(account: "bob"))
            let missing = try await pay(store, token, intent: "none")
            #expect(foreign.status == 404)
            #expect(foreign.json["detail"] == missing.json["detail"])
        }
    }

    @Test func `a saved payment whose fate is unknown says so`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            let token = try await store.session()
            store.promotions.contents.withLock { $0.failure = StoreError(.deadlineExceeded, "too late") }
            let late = try await pay(store, token)
            #expect(late.status == 504)
            #expect(late.code == "outcomeUnknown")
            store.promotions.contents.withLock { $0.failure = nil }
            store.promotions.goAway()
            #expect(try await pay(store, token).status == 503)
        }
    }

    // MARK: The operator's list

    @Test func `the operator sees all of them, narrowed as asked (M81)`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.contents.withLock { contents in
                var expired = Sample.intent("i_1", state: .expired)
                expired.warning = "nobody answered"
                expired.account = "alice"
                contents.intents = [expired]
            }
            let path = "/admin/v1/intents"
            let query = "?bundleId=com.example.app&account=alice&deviceId=alice-1&state=expired&limit=3&after=i_0"
            let answer = try await store.send(.GET, path + query, token: Sample.adminKey)
            #expect(answer.status == 200)
            #expect(answer.json["intents"]?.arrayValue?.first?["warning"] == "nobody answered")
            #expect(answer.json["after"] == "i_last")
            let expected = IntentListRequest(
                bundleId: Sample.bundleId, account: "alice", deviceId: "alice-1", state: .expired, after: "i_0",
                limit: 3)
            #expect(store.promotions.contents.withLock { $0.searches } == [expected])
            #expect(try await store.send(.GET, "\(path)?state=open", token: Sample.adminKey).status == 400)
        }
    }
}
