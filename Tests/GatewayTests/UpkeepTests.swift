import NIOHTTP1
import StoreModels
import Synchronization
import Testing

@testable import Gateway

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

    @Test func `storefronts are described`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/admin/v1/storefronts", token: key)
            #expect(answer.json["storefronts"]?.arrayValue?.first?["currency"] == "USD")
            #expect(answer.json["storefronts"]?.arrayValue?.first?["name"] == "United States")
        }
    }

    @Test func `a history is cleared of one account or of everybody`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            let path = "/admin/v1/apps/com.example.app/transactions"
            let one = try await store.send(.DELETE, "\(path)?account=alice", token: key)
            #expect(one.json == .object(["removed": 1]))
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
            #expect(answer.json == .object(["removedTransactions": 1]))
            #expect(try await store.send(.POST, path, token: key, body: "{}").status == 200)
            #expect(try await store.send(.POST, path, token: key, body: #"{"hard":true}"#).status == 400)
            #expect(store.payments.contents.withLock { $0.resets } == [Sample.bundleId, Sample.bundleId])
        }
    }

    @Test func `an app nobody imported is neither reset nor cleared`() async throws {
        try await GatewayHarness.run { store in
            let reset = try await store.send(.POST, "/admin/v1/apps/none/reset", token: key)
            #expect(reset.status == 404)
            let cleared = try await store.send(.DELETE, "/admin/v1/apps/none/transactions", token: key)
            #expect(cleared.status == 404)
            #expect(store.payments.contents.withLock { $0.resets.isEmpty && $0.cleared.isEmpty })
        }
    }

    @Test func `a product's prices are told storefront by storefront`() async throws {
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
