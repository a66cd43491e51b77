import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Purchases that begin in the store: Buy is tapped, or a test URL opened.
@Suite struct StorePurchaseTests {
    private static let url =
        "itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=com.example.pro"

    private func tap(_ store: GatewayHarness, _ token: String, _ body: String) async throws -> Answer {
        try await store.send(.POST, "/v1/store-page/purchase", token: token, body: body)
    }

    private func open(_ store: GatewayHarness, _ token: String, _ url: String) async throws -> Answer {
        let body = try StoreJSON.encode(JSONValue.object(["url": .string(url)]))
        return try await store.send(.POST, "/v1/open-url", token: token, bytes: body)
    }

    @Test(arguments: StartPurchaseReply.Outcome.allCases)
    func `a tap says what happens next (M72, M74, M75)`(outcome: StartPurchaseReply.Outcome) async throws {
        try await GatewayHarness.run { store in
            store.promotions.contents.withLock { $0.outcome = outcome }
            let answer = try await tap(
                store, try await store.session(client: "store"), #"{"productIdentifier":"com.example.pro"}"#)
            #expect(answer.status == 200)
            #expect(answer.json["outcome"]?.stringValue == outcome.rawValue)
            #expect(answer.json["intentIdentifier"] == "i_1")
        }
    }

    @Test func `a device PromotionController missed is reported before a tap, though an app was launched on it`()
        async throws
    {
        try await GatewayHarness.run { store in
            _ = try await store.session()
            store.promotions.goAway()
            let token = try await store.session(client: "store", osVersion: "17.2")
            store.promotions.comeBack()
            // The breaker of a service that was away closes within moments.
            try await eventually("the purchase begins") {
                try await tap(store, token, #"{"productIdentifier":"com.example.pro"}"#).status == 200
            }
            #expect(store.promotions.contents.withLock { $0.devices[Sample.phone]?.osVersion } == "17.2")
        }
    }

    @Test func `Catalog's facts, the customer and the place are handed over`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.contents.withLock { $0.storefront = "FRA" }
            let body = #"{"productIdentifier":"com.example.pro","source":"search","offer":"back"}"#
            #expect(try await tap(store, token, body).status == 200)
            let start = try #require(store.promotions.contents.withLock { $0.starts.first })
            #expect(start.customerIdentifier == FakePaymentQueue.customer)
            #expect(start.account == "alice")
            #expect(start.deviceId == Sample.deviceId)
            #expect(start.source == .search && start.offer == "back")
            #expect(start.facts.product == Sample.pro)
            let asked = store.catalog.contents.withLock { $0.promoting.productRequests.last }
            #expect(asked?.storefront == "FRA")
        }
    }

    @Test func `a start has the client's key, else one of its own, and only with one it may be sent again`()
        async throws
    {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let body = #"{"productIdentifier":"com.example.pro"}"#
            func tap(_ key: String?) async throws -> Answer {
                try await store.send(
                    .POST, "/v1/store-page/purchase", token: token,
                    headers: key.map { [("Idempotency-Key", $0)] } ?? [], body: body)
            }
            for key in ["tap 1", nil, nil] { #expect(try await tap(key).status == 200) }
            let keys = store.promotions.contents.withLock { $0.starts.map(\.requestIdentifier) }
            #expect(keys.first == "tap 1")
            #expect(Set(keys).count == 3)
            #expect(try await tap("").code == "idempotencyKeyInvalid")
            store.promotions.contents.withLock { $0.failure = StoreError(.deadlineExceeded, "no answer") }
            for (key, isRepeatable) in [("tap 2", true), (nil, false)] {
                let unknown = try await tap(key)
                #expect(unknown.code == "outcomeUnknown")
                #expect(unknown.json["retryable"] == .bool(isRepeatable))
            }
        }
    }

    @Test(arguments: [
        #"{"productIdentifier":""}"#, "{}", #"{"productIdentifier":"p","source":"testURL"}"#,
        #"{"productIdentifier":"p","price":"0"}"#, #"{"productIdentifier":"p","offer":""}"#,
    ])
    func `a tap on nothing is refused`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await tap(store, try await store.session(), body)
            #expect(answer.status == 400)
            #expect(store.promotions.contents.withLock { $0.starts.isEmpty })
        }
    }

    @Test func `what PromotionController and Catalog refuse is passed on`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let unknown = try await tap(store, token, #"{"productIdentifier":"com.example.nothing"}"#)
            #expect(unknown.status == 404)
            #expect(unknown.code == "productNotFound")
            for (code, status) in [
                (StoreErrorCode.productNotPromotable, 422), (.promotionUnsupported, 409), (.rateLimited, 429),
            ] {
                store.promotions.contents.withLock { $0.failure = StoreError(code, "no") }
                let answer = try await tap(store, token, #"{"productIdentifier":"com.example.pro"}"#)
                #expect(answer.status == status)
                #expect(answer.code == code.name)
            }
        }
    }

    @Test func `a test URL starts the same purchase (M106, M108)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            for url in [
                Self.url,
                "ITMS-services://?productIdentifier=com%2Eexample.pro&bundleId=com.example.app&action=purchaseIntent",
            ] {
                let answer = try await open(store, token, url)
                #expect(answer.status == 200)
                #expect(answer.json["outcome"] == "openApp")
            }
            let starts = store.promotions.contents.withLock { $0.starts }
            #expect(starts.map(\.source) == [.testURL, .testURL])
            #expect(starts.map(\.facts.product.productIdentifier) == ["com.example.pro", "com.example.pro"])
        }
    }

    @Test(arguments: [
        ("https://example.com", "scheme", "wrong"), ("itms-services://?action=download", "action", "wrong"),
        (url + "&action=purchaseIntent", "action", "duplicate"), (url + "&more=1", "parameter", "unknown"),
        (url + "#top", "fragment", "unknown"), (url.replacing("//", with: "//host"), "host", "wrong"),
        (url.replacing("com.example.app", with: "com.example.other"), "bundleId", "wrong"),
        (url.replacing("com.example.pro", with: ""), "productIdentifier", "missing"),
        (url.replacing("com.example.pro", with: String(repeating: "x", count: 256)), "productIdentifier", "tooLong"),
        ("", "scheme", "wrong"), (url + String(repeating: "x", count: 2048), "url", "tooLong"),
    ])
    func `each fault of a URL is named`(url: String, part: String, fault: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await open(store, try await store.session(), url)
            #expect(answer.status == 422)
            #expect(answer.code == "urlInvalid")
            #expect(answer.json["part"]?.stringValue == part)
            #expect(answer.json["fault"]?.stringValue == fault)
            #expect(store.promotions.contents.withLock { $0.starts.isEmpty })
        }
    }

    @Test func `an unknown product is not found, another body is refused`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let unknown = try await open(store, token, Self.url.replacing("example.pro", with: "example.nothing"))
            #expect(unknown.status == 404)
            #expect(unknown.code == "productNotFound")
            #expect(try await store.send(.POST, "/v1/open-url", token: token, body: "{}").status == 400)
        }
    }

    @Test func `a device PromotionController does not know is reported first`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.goAway()
            let token = try await store.session(client: "store")
            let body = #"{"productIdentifier":"com.example.pro"}"#
            #expect(try await tap(store, token, body).status == 503)
            store.promotions.comeBack()
            #expect(store.promotions.contents.withLock { $0.devices.isEmpty })
            // The breaker of a service that was away closes within moments.
            try await eventually("the purchase begins") { try await tap(store, token, body).status == 200 }
            #expect(store.promotions.contents.withLock { Array($0.devices.keys) } == [Sample.phone])
        }
    }

    @Test func `a tap whose fate is unknown says so`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.promotions.contents.withLock { $0.failure = StoreError(.deadlineExceeded, "too late") }
            let answer = try await tap(store, token, #"{"productIdentifier":"com.example.pro"}"#)
            #expect(answer.status == 504)
            #expect(answer.code == "outcomeUnknown")
        }
    }
}
