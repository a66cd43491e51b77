import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@Suite struct StorePageTests {
    private func owned(_ answer: Answer) -> [String: JSONValue] {
        Dictionary(
            (answer.json["promotions"]?.arrayValue ?? []).map {
                ($0["product"]?["productIdentifier"]?.stringValue ?? "?", $0["owned"] ?? "absent")
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The last part of each product's name, in order.
    private func names(_ answer: Answer) -> [String] {
        (answer.json["promotions"]?.arrayValue ?? []).map {
            $0["product"]?["productIdentifier"]?.stringValue?.split(separator: ".").last.map(String.init) ?? "?"
        }
    }

    private func page(_ store: GatewayHarness, _ token: String, _ path: String = "/v1/store-page") async throws
        -> Answer
    {
        let answer = try await store.send(.GET, path, token: token)
        #expect(answer.status == 200)
        return answer
    }

    private func set(_ store: GatewayHarness, _ overrides: PromotionOverrides, device: String = Sample.deviceId) {
        store.promotions.contents.withLock {
            $0.devices[ScopedIdentifier(device, in: .installation)]?.apps[0].overrides = overrides
        }
    }

    @Test func `the page has this device's products, ownership and eligibility, for app and store (M62)`() async throws
    {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.owned = ["com.example.hiddenBeaches", "com.example.fishing"] }
            let app = try await store.session()
            set(store, PromotionOverrides(order: ["com.example.pro"], visibility: ["com.example.fishing": .hide]))
            for token in [app, try await store.session(client: "store")] {
                let answer = try await page(store, token)
                #expect(answer.json["degraded"] == .array([]))
                #expect(names(answer) == ["pro", "hiddenBeaches"])
                #expect(owned(answer) == ["com.example.pro": false, "com.example.hiddenBeaches": true])
                let first = answer.json["promotions"]?.arrayValue?.first?["product"]
                #expect(first?["introductoryOfferEligibility"] == "eligible")
                #expect(first?["priceLocale"] == "en_US@currency=USD")
            }
        }
    }

    @Test func `another device of the account has a page of its own (M89, M95)`() async throws {
        try await GatewayHarness.run { store in
            let first = try await store.session()
            let second = try await store.session(device: "alice-2")
            set(store, PromotionOverrides(visibility: ["com.example.pro": .hide]))
            #expect(try await names(page(store, first)) == ["hiddenBeaches", "fishing"])
            #expect(try await names(page(store, second)) == ["hiddenBeaches", "fishing", "pro"])
        }
    }

    @Test func `consumables are never owned, and what is unknown is null`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.owned = ["com.example.fishing"]
                $0.ownsMore = true
            }
            let answer = try await page(store, try await store.session())
            #expect(owned(answer)["com.example.fishing"] == false)
            #expect(owned(answer)["com.example.pro"] == .null, "there is more than one message holds")
        }
    }

    @Test func `search and featured tab show of the page what they should, and nothing that is hidden (M63, M64, M90)`()
        async throws
    {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock {
                $0.promoting.featured = ["com.example.pro", "com.example.fishing", "com.example.gone"].map {
                    ProductReference(bundleId: Sample.bundleId, productIdentifier: $0)
                }
                $0.promoting.appName = "Éxamplë Ísland"
            }
            let token = try await store.session()
            #expect(try await names(page(store, token, "/v1/featured")) == ["pro", "fishing"])
            #expect(try await names(page(store, token, "/v1/search?q=fishing+HOT")) == ["fishing"])
            #expect(try await names(page(store, token, "/v1/search?q=h%C3%ACdden")) == ["hiddenBeaches"])
            #expect(try await names(page(store, token, "/v1/search?q=com.example.pro")) == ["pro"])
            #expect(try await names(page(store, token, "/v1/search?q=hot+beaches")) == [], "every word counts")
            let all = ["hiddenBeaches", "fishing", "pro"]
            #expect(try await names(page(store, token, "/v1/search?q=example%20island")) == all)
            set(store, PromotionOverrides(visibility: ["com.example.fishing": .hide]))
            #expect(try await names(page(store, token)) == ["hiddenBeaches", "pro"])
            #expect(try await names(page(store, token, "/v1/featured")) == ["pro"])
            #expect(try await names(page(store, token, "/v1/search?q=fishing")) == [])
        }
    }

    @Test(arguments: ["", "?q=", "?q=+%20", "?q=\(String(repeating: "x", count: 201))", "?q=a&q=b", "?query=a"])
    func `a search for nothing, or for too much, is refused`(query: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/v1/search\(query)", token: try await store.session())
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test func `what the operator hides is shown where the device shows it (M92)`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock {
                $0.promoting.entries = [
                    PromotionEntry(productIdentifier: "com.example.pro", visible: false),
                    PromotionEntry(productIdentifier: "com.example.fishing", visible: true),
                ]
            }
            let token = try await store.session()
            #expect(try await names(page(store, token)) == ["fishing"])
            set(store, PromotionOverrides(visibility: ["com.example.pro": .show]))
            #expect(try await names(page(store, token)) == ["pro", "fishing"])
        }
    }

    @Test func `a device that has no promotions shows an empty page (M58, M71)`() async throws {
        try await GatewayHarness.run { store in
            store.promotions.contents.withLock { $0.unsupported[Sample.deviceId] = "too old" }
            let token = try await store.session()
            for path in ["/v1/store-page", "/v1/featured", "/v1/search?q=pro"] {
                #expect(try await names(page(store, token, path)).isEmpty)
            }
            let compatible = try await store.session(device: "v-1", platform: "iOSAppOnVisionOS", osVersion: "2.0")
            let old = try await store.session(device: "o-1", osVersion: "10.3")
            store.promotions.goAway()
            for token in [compatible, old] { #expect(try await names(page(store, token)).isEmpty) }
            // It is back and never got them: their sessions still say what they are.
            store.promotions.comeBack()
            store.promotions.contents.withLock { $0.devices = [:] }
            try await eventually("PromotionController answers again") {
                try await page(store, old).json["degraded"] == .array([])
            }
            for token in [compatible, old] { #expect(try await names(page(store, token)).isEmpty) }
        }
    }

    @Test func `with each service away the page comes with what is left`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            set(store, PromotionOverrides(order: ["com.example.pro"]))
            store.promotions.goAway()
            let withoutPromotions = try await page(store, token)
            #expect(withoutPromotions.json["degraded"] == .array(["promotions"]))
            #expect(names(withoutPromotions) == ["hiddenBeaches", "fishing", "pro"], "the operator's order")
            store.payments.service.goAway()
            store.eligibility.goAway()
            let bare = try await page(store, token)
            #expect(bare.json["degraded"] == .array(["eligibility", "payments", "promotions"]))
            #expect(owned(bare).values.allSatisfy { $0 == .null })
            store.catalog.service.goAway()
            #expect(try await store.send(.GET, "/v1/store-page", token: token).status == 503)
        }
    }

    @Test func `without subscriptions on the page eligibility is not requested`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock { $0.products = [Sample.hiddenBeaches] }
            store.eligibility.goAway()
            let answer = try await page(store, try await store.session())
            #expect(answer.json["degraded"] == .array([]))
            #expect(
                answer.json["promotions"]?.arrayValue?.first?["product"]?["introductoryOfferEligibility"]
                    == "ineligible")
        }
    }

    @Test func `a customer who shops elsewhere by now sees the page there`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.contents.withLock { $0.storefront = "FRA" }
            _ = try await page(store, token)
            #expect(store.catalog.contents.withLock { $0.promotionRequests.map(\.storefront) } == ["USA", "FRA"])
            #expect(store.eligibilityRequests.all.last?.storefront == "FRA")
            _ = try await page(store, token)
            let storefronts = store.catalog.contents.withLock { $0.promotionRequests.map(\.storefront) }
            #expect(!storefronts.dropFirst(2).contains("USA"), "from then on it is known")
        }
    }

    @Test func `a customer no longer known still sees the page`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.contents.withLock { $0.openRequests = [] }
            let answer = try await page(store, token)
            #expect(answer.json["degraded"] == .array(["payments"]))
            #expect(owned(answer).values.allSatisfy { $0 == .null })
        }
    }

    @Test func `Catalog is asked once, for any number of readers, and the other services meanwhile`() async throws {
        try await GatewayHarness.run(catalogTimeout: .seconds(30)) { store in
            let token = try await store.session()
            _ = try await page(store, token)
            let gate = Gate()
            store.catalog.contents.withLock { contents in
                contents.promoting.gate = gate
                contents.promotionRequests = []
                contents.products[0].localizedTitle = "Another version"
            }
            let asked = store.eligibilityRequests.all.count
            async let answers = withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await store.send(
                            .GET, "/v1/store-page", token: token, headers: [("Sb-Timeout", "30000")]
                        ).status
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await eventually("all have asked Eligibility while Catalog thinks") {
                store.eligibilityRequests.all.count == asked + 8
            }
            #expect(gate.arrived == 1)
            gate.open()
            #expect(try await answers == Array(repeating: 200, count: 8))
            #expect(store.catalog.contents.withLock { $0.promotionRequests.count } <= 2)
        }
    }

    @Test func `a subscription that is promoted anew is asked about`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock { $0.products = [Sample.hiddenBeaches] }
            let token = try await store.session()
            _ = try await page(store, token)
            store.catalog.contents.withLock { $0.products = Sample.products }
            let answer = try await page(store, token)
            let pro = answer.json["promotions"]?.arrayValue?.last?["product"]
            #expect(pro?["productIdentifier"] == "com.example.pro")
            #expect(pro?["introductoryOfferEligibility"] == "eligible")
            #expect(store.eligibilityRequests.all.map(\.productIdentifiers) == [["com.example.pro"]])
        }
    }
}
