import EventLoop
import NIOHTTP1
import Signing
import StoreModels
import Testing

@Suite struct GatewaySessionTests {
    @Test func `in production sessions are for the app's server, with a key of that app`() async throws {
        try await GatewayHarness.run(environment: .production) { store in
            let body =
                #"{"bundleId":"\#(Sample.bundleId)","deviceId":"alice-1","account":"alice","platform":"iOS","#
                + #""osVersion":"17.4","appVersion":"1.0"}"#
            func open(_ token: String?) async throws -> Answer {
                try await store.send(.POST, "/v1/sessions", token: token, body: body)
            }
            let nobody = try await open(nil)
            #expect(nobody.status == 401)
            #expect(nobody.code == "unauthenticated")
            #expect(try await open(Sample.adminKey).status == 403)
            store.catalog.contents.withLock {
                $0.apps["com.example.two"] = App(
                    bundleId: "com.example.two", settings: .init(name: "2"), catalogVersion: 1)
            }
            #expect(try await open(try await store.apiKey("com.example.two")).status == 404)
            let answer = try await open(try await store.apiKey())
            #expect(answer.status == 201)
            let token = try #require(answer.json["token"]?.stringValue)
            #expect(try await store.send(.GET, "/v1/transactions", token: token).status == 200)
            #expect(try await open(token).status == 403, "a session opens no other")
        }
    }

    private func body(_ extra: String = "", client: String = "") -> String {
        #"{"bundleId":"com.example.app","deviceId":"alice-1","account":"alice","platform":"iOS","osVersion":"17.0","#
            + #""appVersion":"1.0"\#(extra)}"#
    }

    @Test func `a session says who, where and whether they may pay (M14)`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/v1/sessions", body: body(#","promotedPurchases":"delegate""#))
            #expect(answer.status == 201)
            #expect(answer.json["storefront"]?["countryCode"] == "USA")
            #expect(answer.json["storefront"]?["identifier"] == "143441")
            #expect(answer.json["canMakePayments"] == true)
            #expect(answer.json["degraded"] == .array([]))
            #expect(Timestamp(answer.json["expiresAt"]?.stringValue ?? "") != nil)
            #expect(store.promotions.launches.all.map(\.promotedPurchases) == [.delegate])
        }
    }

    @Test func `payments that are off come from PaymentQueue`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.canMakePayments = false }
            let answer = try await store.send(.POST, "/v1/sessions", body: body())
            #expect(answer.json["canMakePayments"] == false)
        }
    }

    @Test func `a session of the store launches nothing`() async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session(client: "store")
            #expect(store.promotions.launches.all.isEmpty)
        }
    }

    @Test func `without PromotionController the session says so and works`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.goAway()
            let answer = try await store.send(.POST, "/v1/sessions", body: body())
            #expect(answer.status == 201)
            #expect(answer.json["degraded"] == .array(["promotions"]))
        }
    }

    @Test func `without PaymentQueue there is no session`() async throws {
        try await GatewayHarness.run { store in
            store.payments.service.goAway()
            let answer = try await store.send(.POST, "/v1/sessions", body: body())
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
            #expect(answer.json["retryable"] == true)
        }
    }

    @Test func `another storefront than the account's is a mismatch`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/v1/sessions", body: body(#","storefront":"FRA""#))
            #expect(answer.status == 409)
            #expect(answer.code == "storefrontMismatch")
            let unknown = try await store.send(.POST, "/v1/sessions", body: body(#","storefront":"ZZZ""#))
            #expect(unknown.status == 400)
            #expect(unknown.json["path"] == "$.storefront")
        }
    }

    @Test func `an app never imported is not found`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(
                .POST, "/v1/sessions", body: body().replacing("com.example.app", with: "com.example.other"))
            #expect(answer.status == 404)
            #expect(answer.code == "notFound")
        }
    }

    @Test(arguments: [
        (
            #"{"bundleId":"a b","deviceId":"d","account":"a","platform":"iOS","osVersion":"1","appVersion":"1"}"#,
            "$.bundleId"
        ),
        (
            #"{"bundleId":"a","deviceId":"","account":"a","platform":"iOS","osVersion":"1","appVersion":"1"}"#,
            "$.deviceId"
        ),
        (
            #"{"bundleId":"a","deviceId":"d","account":"a","platform":"amiga","osVersion":"1","appVersion":"1"}"#,
            "$.platform"
        ),
        (#"{"bundleId":"a","deviceId":"d","account":"a","platform":"iOS","osVersion":"1"}"#, "$.appVersion"),
        (
            #"{"bundleId":"a","deviceId":"d","account":"a","platform":"iOS","osVersion":"1","admin":true}"#,
            "$.admin"
        ),
        (
            #"{"client":"store","bundleId":"a","deviceId":"d","account":"a","platform":"iOS","appVersion":"","osVersion":"1"}"#,
            "$.appVersion"
        ),
        (
            #"{"bundleId":"a","bundleId":"b","deviceId":"d","account":"a","platform":"iOS","osVersion":"1"}"#,
            "$.bundleId"
        ),
    ])
    func `a wrong member is named`(body: String, path: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/v1/sessions", body: body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
            #expect(answer.json["path"]?.stringValue == path)
        }
    }
}
