import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@Suite struct UpkeepTests {
    private let key = Sample.adminKey

    @Test func `a product's explanation is Catalog's (M5)`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/com.example.app/products"
            let known = try await store.send(.GET, "\(path)/com.example.pro/explain?storefront=FRA", token: key)
            #expect(known.status == 200)
            #expect(known.json["available"] == true)
            #expect(known.json["storefront"] == "FRA")
            let unknown = try await store.send(.GET, "\(path)/nope/explain", token: key)
            #expect(unknown.json["reasons"] == .array(["unknown"]))
            #expect(store.catalog.contents.withLock { $0.explainRequests.map(\.storefront) } == ["FRA", nil])
            let nowhere = try await store.send(.GET, "\(path)/nope/explain?storefront=XXX", token: key)
            #expect(nowhere.status == 400)
        }
    }

    @Test func `the operator sees all offers of a product, those redeemed outside the app included`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/com.example.app/products"
            let pro = Sample.pro.productIdentifier
            let known = try await store.send(.GET, "\(path)/\(pro)/offers?storefront=FRA", token: key)
            #expect(known.status == 200)
            #expect(known.json["productIdentifier"]?.stringValue == pro)
            #expect(known.json["storefront"] == "FRA")
            #expect(known.json["redeemableOffers"]?.arrayValue?.first?["type"] == "winBack")
            #expect(try await store.send(.GET, "\(path)/\(pro)/offers", token: key).json["storefront"] == "USA")
            #expect(try await store.send(.GET, "\(path)/nope/offers", token: key).status == 404)
            #expect(try await store.send(.GET, "\(path)/\(pro)/offers?storefront=XXX", token: key).status == 400)
        }
    }

    @Test func `storefronts are described`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/admin/v1/storefronts", token: key)
            #expect(answer.json["storefronts"]?.arrayValue?.first?["currency"] == "USD")
            #expect(answer.json["storefronts"]?.arrayValue?.first?["name"] == "United States")
        }
    }

    @Test func `a history is cleared of one account or of all`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            let path = "/admin/v1/apps/com.example.app/transactions"
            let one = try await store.send(.DELETE, "\(path)?account=alice", token: key)
            #expect(one.json == .object(["removed": 1, "cancelledIntents": 0]))
            _ = try await store.send(.DELETE, path, token: key)
            let told = store.payments.contents.withLock { $0.cleared.map(\.account) }
            #expect(told == ["alice", nil])
            #expect(try await store.send(.DELETE, "\(path)?account=", token: key).status == 400)
        }
    }

    @Test func `a reset takes no body and counts what is gone`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            let path = "/admin/v1/apps/com.example.app/reset"
            let answer = try await store.send(.POST, path, token: key)
            #expect(answer.status == 200)
            #expect(answer.json == .object(["removedTransactions": 1, "cancelledIntents": 0]))
            #expect(try await store.send(.POST, path, token: key, body: "{}").status == 200)
            #expect(try await store.send(.POST, path, token: key, body: #"{"hard":true}"#).status == 400)
            #expect(
                store.payments.contents.withLock { $0.resets.map(\.bundleId) } == [Sample.bundleId, Sample.bundleId])
        }
    }

    /// Both ways to clear, as a request.
    static let clearings: [(HTTPMethod, String)] = [
        (.POST, "/admin/v1/apps/com.example.app/reset"),
        (.DELETE, "/admin/v1/apps/com.example.app/transactions?account=alice"),
    ]

    private func clearedIntents(_ store: GatewayHarness) -> [[String]?] {
        store.payments.contents.withLock { $0.resets.map(\.intents) + $0.cleared.map(\.intents) }
    }

    @Test(arguments: clearings)
    func `I3 what began in the store is cancelled first, and PaymentQueue gets the names of what is on its way`(
        _ method: HTTPMethod, _ path: String
    ) async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.promotions.contents.withLock { $0.continued = ["i_2", "i_3"] }
            let answer = try await store.send(method, path, token: key)
            #expect(answer.status == 200)
            #expect(answer.json["cancelledIntents"] == 1)
            #expect(clearedIntents(store) == [["i_2", "i_3"]])
            let asked = store.promotions.contents.withLock { $0.cleared }
            let account = method == .DELETE ? "alice" : nil
            #expect(asked == [ClearIntentsRequest(bundleId: Sample.bundleId, account: account)])
            // Again finds nothing left to cancel, and clears all the same.
            let again = try await store.send(method, path, token: key)
            #expect(again.status == 200)
            #expect(again.json["cancelledIntents"] == 0)
        }
    }

    @Test(arguments: clearings)
    func `without PromotionController nothing is cleared; sent again, all of it is`(
        _ method: HTTPMethod, _ path: String
    ) async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.promotions.goAway()
            let refused = try await store.send(method, path, token: key)
            #expect(refused.status == 503)
            #expect(refused.json["code"] == "serviceUnavailable")
            #expect(refused.json["retryable"] == true)
            #expect(refused.json["detail"]?.stringValue?.contains("no purchases were cleared") == true)
            #expect(clearedIntents(store).isEmpty)
            store.promotions.comeBack()
            let answer = try await store.send(method, path, token: key)
            #expect(answer.status == 200)
            #expect(answer.json["cancelledIntents"] == 1)
            #expect(clearedIntents(store).count == 1)
        }
    }

    @Test(arguments: clearings)
    func `with PaymentQueue refusing after the intents were cancelled, the same again clears the rest`(
        _ method: HTTPMethod, _ path: String
    ) async throws {
        try await GatewayHarness.run { store in
            store.promotions.begin("i_1")
            store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "more are left") }
            let refused = try await store.send(method, path, token: key)
            #expect(refused.status == 503)
            store.payments.contents.withLock { $0.failure = nil }
            // What is on its way is asked for anew each time.
            store.promotions.contents.withLock { $0.continued = ["i_9"] }
            #expect(try await store.send(method, path, token: key).status == 200)
            #expect(clearedIntents(store) == [["i_9"]])
        }
    }

    @Test func `an app never imported is neither reset nor cleared`() async throws {
        try await GatewayHarness.run { store in
            let reset = try await store.send(.POST, "/admin/v1/apps/none/reset", token: key)
            #expect(reset.status == 404)
            let cleared = try await store.send(.DELETE, "/admin/v1/apps/none/transactions", token: key)
            #expect(cleared.status == 404)
            #expect(store.payments.contents.withLock { $0.resets.isEmpty && $0.cleared.isEmpty })
            #expect(store.promotions.contents.withLock { $0.cleared.isEmpty })
        }
    }

    @Test func `a product's prices are listed storefront by storefront`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/com.example.app/products"
            let some = try await store.send(
                .GET, "\(path)/com.example.pro/prices?storefronts=FRA,USA&storefronts=FRA", token: key)
            #expect(some.status == 200)
            let prices = some.json["prices"]?.arrayValue ?? []
            #expect(prices.compactMap { $0["storefront"] } == ["FRA", "USA"], "each once, as named")
            #expect(prices.allSatisfy { $0["available"] == true && $0["price"] != nil })
            let all = try await store.send(.GET, "\(path)/nope/prices", token: key)
            #expect((all.json["prices"]?.arrayValue ?? []).compactMap { $0["storefront"] } == ["USA", "FRA"])
            #expect(all.json["prices"]?.arrayValue?.first?["available"] == false)
            #expect(all.json["prices"]?.arrayValue?.first?["reasons"] == .array(["unknown"]))
            #expect(try await store.send(.GET, "\(path)/nope/prices?storefronts=XXX", token: key).status == 400)
            let none = try await store.send(.GET, "/admin/v1/apps/none/products/nope/prices", token: key)
            #expect(none.status == 404)
        }
    }
}
