import BusClient
import BusService
import NIOHTTP1
import StoreModels
import Synchronization
import Testing

@testable import Gateway

/// Goal: products are asked for once a second, answers are of one version, and what an operator changes shows.
@Suite struct ProductDirectoryTests {
    private let start = ContinuousClock.now
    private let passed = Passed()

    /// How far the test has moved the directory's clock.
    private final class Passed: Sendable {
        private let elapsed = Mutex(Duration.zero)
        var value: Duration { elapsed.withLock { $0 } }

        func become(_ duration: Duration) { elapsed.withLock { $0 = duration } }
    }

    private func withCatalog(
        _ body: (ProductDirectory, FakeCatalog, ([String]) -> ProductsInParts) async throws -> Void
    ) async throws {
        let bus = InMemoryBus()
        let catalog = FakeCatalog(FakeService(.catalog, on: bus))
        await catalog.service.start()
        let client = bus.client(name: "gateway")
        let services = ServiceCaller(bus: client, caller: "test")
        let directory = ProductDirectory(services: services, now: { start + passed.value })
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await body(directory, catalog) {
                    ProductsInParts(
                        services: services, bundleId: Sample.bundleId, storefront: "USA", identifiers: $0)
                })
        } catch { result = .failure(error) }
        await catalog.service.stop()
        await client.close()
        try result.get()
    }

    private let context = CallContext(deadline: .now + .seconds(30))
    private let identifiers = [Sample.pro.productIdentifier, "nope", Sample.fishing.productIdentifier]

    @Test func `M1, M2: what is known is known for a second, unknown identifiers too`() async throws {
        try await withCatalog { directory, _, query in
            #expect(directory.known(query(identifiers)) == nil)
            _ = try await directory.ask(query(identifiers), context)
            passed.become(.milliseconds(999))
            let known = directory.known(query(identifiers))
            #expect(known?.products.map(\.productIdentifier) == [identifiers[0], identifiers[2]])
            #expect(known?.invalidProductIdentifiers == ["nope"])
            #expect(directory.known(query(identifiers + ["another"])) == nil)
            passed.become(.seconds(1))
            #expect(directory.known(query(identifiers)) == nil)
        }
    }

    @Test func `an answer is of one version of the catalogue`() async throws {
        try await withCatalog { directory, catalog, query in
            catalog.contents.withLock { $0.versions = [7, 8] }
            _ = try await directory.ask(query([identifiers[0]]), context)
            _ = try await directory.ask(query([identifiers[2]]), context)
            #expect(directory.known(query([identifiers[0]])) != nil)
            #expect(directory.known(query([identifiers[2]])) != nil)
            #expect(directory.known(query([identifiers[0], identifiers[2]])) == nil)
        }
    }

    @Test func `two spellings that Unicode calls equal are two identifiers`() async throws {
        try await withCatalog { directory, _, query in
            _ = try await directory.ask(query(["caf\u{E9}"]), context)
            #expect(directory.known(query(["caf\u{E9}"]))?.invalidProductIdentifiers == ["caf\u{E9}"])
            #expect(directory.known(query(["cafe\u{301}"])) == nil)
        }
    }

    @Test func `what an operator changes, the next request sees; meanwhile Catalog is asked once`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let path = "/v1/products?ids=com.example.fishing"
            let first = try await store.send(.GET, path, token: token)
            _ = try await store.send(.GET, path, token: token)
            let asked = store.catalog.contents.withLock { contents in
                // A machine that is busy for a second between the two has to ask twice.
                contents.products[1].localizedTitle = "Renamed"
                return contents.productRequests.count
            }
            #expect((1...2).contains(asked))
            let settings = #"{"name":"Example","currentVersion":"1.0"}"#
            let put = try await store.send(
                .PUT, "/admin/v1/apps/com.example.app", token: Sample.adminKey, body: settings)
            #expect(put.status == 200)
            let second = try await store.send(.GET, path, token: token)
            #expect(second.text.contains("Renamed"))
            #expect(!first.text.contains("Renamed"))
        }
    }

    @Test func `what is handed on byte by byte is what encoding it would make, for every answer`() async throws {
        for product in Sample.products {
            let shown = ShownProduct(try PresentedProduct(product))
            let possible = product.type == .autoRenewable ? OfferEligibility.allCases : [.ineligible]
            for eligibility in possible {
                var whole = product
                whole.introductoryOfferEligibility = eligibility
                #expect(shown[eligibility].bytes == (try StoreJSON.encode(whole)))
            }
        }
    }
}
