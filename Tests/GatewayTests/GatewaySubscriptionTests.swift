import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// "Manage subscriptions", for the app and for its server.
@Suite struct GatewaySubscriptionTests {
    private static let one = "/v1/subscriptions/1000000001"

    private func change(_ store: GatewayHarness, _ body: String, token: String? = nil) async throws -> Answer {
        var token = token
        if token == nil { token = try await store.session() }
        return try await store.send(.PUT, Self.one, token: token, body: body)
    }

    @Test func `a customer's subscriptions are listed, for the app and for its server`() async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            let app = try await store.session()
            for (path, token) in [
                ("/v1/subscriptions", app), ("/v1/customers/alice/subscriptions", try await store.apiKey()),
            ] {
                let answer = try await store.send(.GET, "\(path)?after=1&limit=7", token: token)
                #expect(answer.status == 200)
                let subscription = answer.json["subscriptions"]?.arrayValue?.first
                #expect(subscription?["state"] == "subscribed")
                #expect(subscription?["originalTransactionIdentifier"] == "1000000001")
                #expect(answer.json["businessNow"] != nil)
            }
            let expected = SubscriptionsRequest(
                bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer, after: "1", limit: 7)
            #expect(store.payments.contents.withLock { $0.subscribing.lists } == [expected, expected])
        }
    }

    @Test func `cancel, turn on, change the product and change back`() async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            let token = try await store.session()
            let cancelled = try await change(store, #"{"willAutoRenew":false}"#, token: token)
            #expect(cancelled.status == 200)
            #expect(cancelled.json["willAutoRenew"] == false)
            let both = #"{"willAutoRenew":true,"autoRenewProductIdentifier":"com.example.pro"}"#
            #expect(try await change(store, both, token: token).json["willAutoRenew"] == true)
            let asked = store.payments.contents.withLock { $0.subscribing.updates }
            #expect(asked.map(\.willAutoRenew) == [false, true])
            #expect(asked.map(\.autoRenewProductIdentifier) == [nil, "com.example.pro"])
            #expect(asked.allSatisfy { $0.originalTransactionIdentifier == "1000000001" })
        }
    }

    @Test(arguments: [
        (#"{"willAutoRenew":"no"}"#, 400, "requestInvalid"), (#"{"state":"expired"}"#, 400, "requestInvalid"),
        (#"{"autoRenewProductIdentifier":""}"#, 400, "requestInvalid"),
        (#"{"autoRenewProductIdentifier":"com.example.other"}"#, 404, "productNotFound"),
    ])
    func `a wrong change is refused`(body: String, status: Int, code: String) async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            let answer = try await change(store, body)
            #expect(answer.status == status)
            #expect(answer.code == code)
            #expect(store.payments.contents.withLock { $0.subscribing.updates.isEmpty })
        }
    }

    @Test func `an unanswered change may be repeated`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            let answer = try await change(store, #"{"willAutoRenew":false}"#, token: token)
            #expect(answer.status == 504)
            #expect(answer.code == "outcomeUnknown")
            #expect(answer.json["retryable"] == true)
        }
    }

    @Test func `without PaymentQueue there is no list`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.service.goAway()
            #expect(try await store.send(.GET, "/v1/subscriptions", token: token).status == 503)
        }
    }
}
