import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// What a device sets for an app, by the app itself and by the operator.
@Suite struct GatewayOverrideTests {
    private static let order = "/v1/promotions/order"
    private static let visibility = "/v1/promotions/visibility/com.example.pro"
    private static let operators = "/admin/v1/devices/alice-1/apps/com.example.app/promotions"

    private func identifiers(_ answer: Answer) -> [String?] {
        (answer.json["productIdentifiers"]?.arrayValue ?? []).map(\.stringValue)
    }

    private func products(_ answer: Answer) -> [String?] {
        (answer.json["products"]?.arrayValue ?? []).map { $0["productIdentifier"]?.stringValue }
    }

    private func put(_ store: GatewayHarness, _ path: String, _ token: String, _ body: String) async throws -> Answer {
        try await store.send(.PUT, path, token: token, body: body)
    }

    @Test func `an order is fetched exactly as it was set, with whole products (M97, M101, M102)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let none = try await store.send(.GET, Self.order, token: token)
            #expect(none.json == .object(["productIdentifiers": .array([]), "products": .array([])]))
            let wanted = ["com.example.pro", "com.example.hiddenBeaches"]
            let set = try await put(
                store, Self.order, token,
                #"{"productIdentifiers":["com.example.pro","com.example.hiddenBeaches"]}"#)
            for answer in [set, try await store.send(.GET, Self.order, token: token)] {
                #expect(answer.status == 200)
                #expect(identifiers(answer) == wanted)
                #expect(products(answer) == wanted)
                let pro = answer.json["products"]?.arrayValue?.first
                #expect(pro?["localizedTitle"] == "Pro")
                #expect(pro?["introductoryOfferEligibility"] == "eligible")
            }
        }
    }

    @Test func `an order is read until its own deadline, beside store pages that have given up`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let gate = Gate()
            store.promotions.contents.withLock { $0.overridesGate = gate }
            async let pages = withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await store.send(.GET, "/v1/store-page", token: token, headers: [("Sb-Timeout", "1000")])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await eventually("two pages ask at once") { gate.arrived >= 2 }
            async let order = store.send(.GET, Self.order, token: token, headers: [("Sb-Timeout", "30000")])
            for page in try await pages { #expect(page.json["degraded"] == .array(["promotions"])) }
            gate.open()
            #expect(try await order.status == 200)
        }
    }

    @Test func `an empty order clears (M100)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            _ = try await put(store, Self.order, token, #"{"productIdentifiers":["com.example.pro"]}"#)
            let cleared = try await put(store, Self.order, token, #"{"productIdentifiers":[]}"#)
            #expect(cleared.status == 200)
            #expect(identifiers(cleared).isEmpty)
        }
    }

    @Test func `visibility is default until it is set, and taken back by default (M87, M88, M93)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            for (value, expected) in [(nil, "default"), ("hide", "hide"), ("show", "show"), ("default", "default")] {
                if let value {
                    let answer = try await put(store, Self.visibility, token, #"{"visibility":"\#(value)"}"#)
                    #expect(answer.status == 200)
                    #expect(answer.json["visibility"]?.stringValue == expected)
                }
                let found = try await store.send(.GET, Self.visibility, token: token)
                #expect(found.json["visibility"]?.stringValue == expected)
                #expect(found.json["productIdentifier"] == "com.example.pro")
                #expect(products(found) == ["com.example.pro"])
            }
        }
    }

    @Test func `what is not for sale may be put in order, what is not there may not`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock { $0.promoting.unavailable = ["com.example.fishing"] }
            let token = try await store.session()
            let unsold = try await put(
                store, Self.order, token, #"{"productIdentifiers":["com.example.fishing","com.example.pro"]}"#)
            #expect(products(unsold) == ["com.example.fishing", "com.example.pro"])
            let unknown = try await put(
                store, Self.order, token, #"{"productIdentifiers":["com.example.pro","com.example.nothing"]}"#)
            #expect(unknown.status == 404)
            #expect(unknown.code == "productNotFound")
            let other = Self.visibility.replacing("example.pro", with: "example.nothing")
            #expect(try await store.send(.GET, other, token: token).code == "productNotFound")
            #expect(try await put(store, other, token, #"{"visibility":"hide"}"#).code == "productNotFound")
            #expect(identifiers(try await store.send(.GET, Self.order, token: token)).count == 2, "nothing was changed")
        }
    }

    @Test func `an order that names what a later catalogue lacks is still told`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            _ = try await put(
                store, Self.order, token, #"{"productIdentifiers":["com.example.fishing","com.example.pro"]}"#)
            store.catalog.contents.withLock { $0.products = [Sample.pro] }
            let answer = try await store.send(.GET, Self.order, token: token)
            #expect(identifiers(answer) == ["com.example.fishing", "com.example.pro"])
            #expect(products(answer) == ["com.example.pro"])
        }
    }

    @Test(arguments: [
        #"{"productIdentifiers":["com.example.pro","com.example.pro"]}"#, #"{"productIdentifiers":[""]}"#, "{}",
        #"{"productIdentifiers":"com.example.pro"}"#, #"{"productIdentifiers":[],"all":true}"#,
    ])
    func `a wrong order is refused`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await put(store, Self.order, try await store.session(), body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test(arguments: [#"{"visibility":"maybe"}"#, "{}", #"{"visibility":1}"#])
    func `a wrong visibility is refused`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await put(store, Self.visibility, try await store.session(), body)
            #expect(answer.status == 400)
        }
    }

    @Test func `500 products may be put in order and no more`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.catalog.contents.withLock { contents in
                contents.products = (0..<500).map { number in
                    var product = Sample.hiddenBeaches
                    product.productIdentifier = "p\(number)"
                    return product
                }
            }
            for (count, status) in [(500, 200), (501, 400)] {
                let list = (0..<count).map { "\"p\($0)\"" }.joined(separator: ",")
                let answer = try await put(store, Self.order, token, #"{"productIdentifiers":[\#(list)]}"#)
                #expect(answer.status == status)
            }
        }
    }

    @Test func `before the first launch, and where there are no promotions, nothing is set (M71, M94)`() async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session(client: "store")
            let early = try await put(
                store, "\(Self.operators)/order", Sample.adminKey, #"{"productIdentifiers":["com.example.pro"]}"#)
            #expect(early.status == 409)
            #expect(early.code == "appNeverLaunched")
            let token = try await store.session()
            store.promotions.contents.withLock { $0.unsupported[Sample.deviceId] = "not on this system" }
            let refused = try await put(store, Self.visibility, token, #"{"visibility":"hide"}"#)
            #expect(refused.status == 409)
            #expect(refused.code == "promotionUnsupported")
            for path in [Self.order, Self.visibility] {
                #expect(try await store.send(.GET, path, token: token).code == "promotionUnsupported")
            }
            store.promotions.contents.withLock { contents in
                contents.unsupported = [:]
                contents.devices[Sample.phone]?.apps = []
            }
            for path in [Self.order, Self.visibility] {
                #expect(try await store.send(.GET, path, token: token).code == "appNeverLaunched")
            }
        }
    }

    @Test func `the operator sets the same overrides`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let order = try await put(
                store, "\(Self.operators)/order", Sample.adminKey, #"{"productIdentifiers":["com.example.pro"]}"#)
            #expect(order.status == 200)
            #expect(products(order) == ["com.example.pro"])
            #expect(order.json["products"]?.arrayValue?.first?["introductoryOfferEligibility"] == "unknown")
            #expect(identifiers(try await store.send(.GET, Self.order, token: token)) == ["com.example.pro"])
            let path = "\(Self.operators)/visibility/com.example.pro"
            #expect(try await put(store, path, Sample.adminKey, #"{"visibility":"hide"}"#).json["visibility"] == "hide")
            #expect(try await store.send(.GET, Self.visibility, token: token).json["visibility"] == "hide")
        }
    }

    @Test func `a launch PromotionController missed is reported before anything is set`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.goAway()
            let token = try await store.session(promoted: "delegate")
            let body = #"{"productIdentifiers":["com.example.pro"]}"#
            #expect(try await put(store, Self.order, token, body).status == 503)
            store.promotions.comeBack()
            // The breaker of a service that was away closes within moments.
            try await eventually("the order is set") { try await put(store, Self.order, token, body).status == 200 }
            #expect(store.promotions.launches.all.last?.promotedPurchases == .delegate)
        }
    }

    @Test func `a missed launch is not reported for a customer who is gone with a deleted app`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.goAway()
            let token = try await store.session(promoted: "delegate")
            store.promotions.comeBack()
            store.payments.contents.withLock { $0.openRequests = [] }
            let refused = try await put(store, Self.order, token, #"{"productIdentifiers":["com.example.pro"]}"#)
            #expect(refused.status == 404, "\(refused.text)")
            #expect(store.promotions.launches.all.isEmpty)
        }
    }

    @Test func `without PromotionController or Catalog overrides are not to be had`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            _ = try await put(store, Self.order, token, #"{"productIdentifiers":["com.example.pro"]}"#)
            store.catalog.service.goAway()
            #expect(try await store.send(.GET, Self.order, token: token).status == 503)
            store.promotions.goAway()
            #expect(try await store.send(.GET, Self.visibility, token: token).status == 503)
        }
    }
}
