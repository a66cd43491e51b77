import BusClient
import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@testable import AppAPI
@testable import Gateway

/// The customer's storefront is today's, not the one of the session's token.
@Suite struct GatewayStorefrontTests {
    private func open(_ store: GatewayHarness, _ token: String) async throws -> EventReader {
        let reader = try await store.stream(token)
        #expect(try await reader.next().name == "updatedTransactions")
        #expect(try await reader.next().name == "synchronized")
        return reader
    }

    private func move(_ store: GatewayHarness, to storefront: String) {
        store.payments.contents.withLock { $0.storefront = storefront }
    }

    @Test func `products, eligibility and store page ask for the storefront of now`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            move(store, to: "FRA")
            _ = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            #expect(store.catalog.contents.withLock { $0.productRequests.map(\.storefront) } == ["FRA"])
            store.promotions.goAway()
            _ = try await store.send(.GET, "/v1/store-page", token: token)
            #expect(store.catalog.contents.withLock { $0.promotionRequests.map(\.storefront) } == ["FRA"])
        }
    }

    @Test func `many requests of a customer cost one question a second`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let begin = ContinuousClock.now
            for _ in 0..<50 { _ = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token) }
            let seconds = (ContinuousClock.now - begin).components.seconds
            let questions = store.payments.contents.withLock { $0.accountRequests.count }
            #expect(questions >= 1 && questions <= Int(seconds) + 1)
        }
    }

    @Test func `without PaymentQueue the last known storefront counts, else the session's`() async throws {
        try await GatewayHarness.run { store in
            let alice = try await store.session()
            let bob = try await store.session(account: "bob", device: "bob-1")
            move(store, to: "FRA")
            // The question of where she shops has a second, which a busy machine may not keep.
            try await eventually("Alice is known to shop in France") {
                store.catalog.contents.withLock { contents in
                    contents.productRequests = []
                    contents.products[0].localizedTitle += "!"
                }
                _ = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: alice)
                return store.catalog.contents.withLock { $0.productRequests.map(\.storefront) == ["FRA"] }
            }
            store.payments.service.goAway()
            store.catalog.contents.withLock { $0.products[0].localizedTitle += "!" }
            for token in [alice, bob] {
                let answer = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
                #expect(answer.status == 200)
            }
            #expect(store.catalog.contents.withLock { $0.productRequests.map(\.storefront) } == ["FRA", "FRA", "USA"])
        }
    }

    @Test func `a customer no longer known shops where the session says`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.contents.withLock { $0.openRequests = [] }
            let answer = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            #expect(answer.status == 200)
            #expect(store.catalog.contents.withLock { $0.productRequests.map(\.storefront) } == ["USA"])
        }
    }

    @Test func `a tester set here counts from the next request on`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            _ = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            move(store, to: "FRA")
            _ = try await store.send(
                .PUT, "/admin/v1/testers/alice", token: Sample.adminKey, body: #"{"storefront":"FRA"}"#)
            _ = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            #expect(store.catalog.contents.withLock { $0.productRequests.map(\.storefront) } == ["USA", "FRA"])
        }
    }

    @Test(arguments: [false, true])
    func `loading products fails where the tester is set so`(posted: Bool) async throws {
        try await GatewayHarness.run { store in
            let failure = TransactionError(.unknown, "as set", reason: "networkError")
            store.payments.contents.withLock { $0.simulatedProductsError = failure }
            let token = try await store.session()
            let answer =
                posted
                ? try await store.send(
                    .POST, "/v1/products/query", token: token, body: #"{"productIdentifiers":["com.example.pro"]}"#)
                : try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
            #expect(answer.json["retryable"] == true)
            #expect(answer.json["detail"]?.stringValue?.contains("networkError") == true)
            #expect(answer.json["simulatedError"] == "networkError")
            let error = try #require(answer.json["error"])
            #expect(try StoreJSON.decode(TransactionError.self, from: StoreJSON.encode(error)) == failure)
            #expect(store.catalog.contents.withLock { $0.productRequests.isEmpty })
        }
    }

    @Test func `an open stream gets each change once`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            await store.tick()
            move(store, to: "FRA")
            await store.tick()
            await store.tick()
            let event = try await reader.next()
            #expect(event.name == "didChangeStorefront")
            #expect(event.json["storefront"] == .object(["countryCode": "FRA", "identifier": "143442"]))
            #expect(event.seq == 0)
            move(store, to: "USA")
            await store.tick()
            #expect(try await reader.next().json["storefront"]?["countryCode"] == "USA", "and nothing in between")
        }
    }

    @Test func `within a second of the change, and prices follow the event`() async throws {
        try await GatewayHarness.run(ticking: true) { store in
            let token = try await store.session()
            let reader = try await open(store, token)
            _ = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            move(store, to: "FRA")
            #expect(try await reader.next().name == "didChangeStorefront")
            _ = try await store.send(.GET, "/v1/products?ids=com.example.pro", token: token)
            #expect(store.catalog.contents.withLock { $0.productRequests.last?.storefront } == "FRA")
        }
    }

    @Test func `the next stream of a session goes on from what the last one told`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let first = try await open(store, token)
            move(store, to: "FRA")
            await store.tick()
            #expect(try await first.next().name == "didChangeStorefront")
            first.hangUp()
            try await eventually("the stream is gone") { store.gateway.app.delivery.streams.isEmpty }
            let second = try await open(store, token)
            await store.tick()
            store.payments.commit(Sample.purchased("a"))
            #expect(try await second.next().name == "updatedTransactions", "nothing has changed since")
            second.hangUp()
            try await eventually("the stream is gone") { store.gateway.app.delivery.streams.isEmpty }
            move(store, to: "USA")
            let third = try await store.stream(token)
            _ = try await third.next()
            _ = try await third.next()
            await store.tick()
            let event = try await third.next()
            #expect(
                event.json["storefront"]?["countryCode"] == "USA", "as when the session began, but not as told last")
        }
    }

    @Test func `a change while the bus was away is sent when it is back`() async throws {
        try await GatewayHarness.run(ticking: true) { store in
            let reader = try await open(store, try await store.session())
            store.gatewayClient.disconnect()
            move(store, to: "FRA")
            store.gatewayClient.reconnect()
            #expect(try await reader.next().name == "didChangeStorefront")
        }
    }

    @Test func `a storefront that cannot be looked up is sent later`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await open(store, try await store.session())
            move(store, to: "ZZZ")
            await store.tick()
            move(store, to: "FRA")
            await store.tick()
            #expect(try await reader.next().json["storefront"]?["countryCode"] == "FRA")
        }
    }
}
