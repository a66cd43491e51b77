import BusClient
import BusService
import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@testable import AppAPI

/// Goal: products are asked for once a version and second, answers are of one version, and what an operator changes
/// shows.
@Suite struct ProductDirectoryTests {
    private let start = ContinuousClock.now
    private let passed = Passed()

    /// How far the test has moved the directory's clock.
    private final class Passed: Sendable {
        private let elapsed = Locked(Duration.zero)
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
        let directory = ProductDirectory(now: { start + passed.value })
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

    private func version(_ number: Int64) -> AppVersion { AppVersion(catalogVersion: number, settingsRevision: 1) }

    private let context = CallContext(deadline: .now + .seconds(30))
    private let identifiers = [Sample.pro.productIdentifier, "nope", Sample.fishing.productIdentifier]

    @Test func `M1, M2: what is known is known for a second, unknown identifiers too`() async throws {
        try await withCatalog { directory, _, query in
            let now = version(1)
            #expect(directory.known(query(identifiers), at: now) == nil)
            _ = try await directory.ask(query(identifiers), at: now, context)
            passed.become(.milliseconds(999))
            let known = directory.known(query(identifiers), at: now)
            #expect(known?.products.map(\.productIdentifier) == [identifiers[0], identifiers[2]])
            #expect(known?.invalidProductIdentifiers == ["nope"])
            #expect(directory.known(query(identifiers + ["another"]), at: now) == nil)
            passed.become(.seconds(1))
            #expect(directory.known(query(identifiers), at: now) == nil)
        }
    }

    @Test func `E1: what is known is of the version that is asked about, and of no other`() async throws {
        try await withCatalog { directory, catalog, query in
            catalog.contents.withLock { $0.versions = [7] }
            _ = try await directory.ask(query(identifiers), at: version(7), context)
            #expect(directory.known(query(identifiers), at: version(7)) != nil)
            #expect(directory.known(query(identifiers), at: version(8)) == nil)
            let otherSettings = AppVersion(catalogVersion: 7, settingsRevision: 2)
            #expect(directory.known(query(identifiers), at: otherSettings) == nil)
            #expect(directory.known(query(identifiers), at: nil) == nil)
        }
    }

    @Test func `an answer is of one version of the catalogue, and one of another is not kept`() async throws {
        try await withCatalog { directory, catalog, query in
            catalog.contents.withLock { $0.versions = [7, 8] }
            _ = try await directory.ask(query([identifiers[0]]), at: version(7), context)
            _ = try await directory.ask(query([identifiers[2]]), at: version(7), context)
            #expect(directory.known(query([identifiers[0]]), at: version(7)) != nil)
            #expect(directory.known(query([identifiers[2]]), at: version(7)) == nil)
            #expect(directory.known(query([identifiers[0], identifiers[2]]), at: version(7)) == nil)
        }
    }

    @Test func `two spellings that Unicode calls equal are two identifiers`() async throws {
        try await withCatalog { directory, _, query in
            let now = version(1)
            _ = try await directory.ask(query(["caf\u{E9}"]), at: now, context)
            #expect(directory.known(query(["caf\u{E9}"]), at: now)?.invalidProductIdentifiers == ["caf\u{E9}"])
            #expect(directory.known(query(["cafe\u{301}"]), at: now) == nil)
        }
    }

    @Test func `M12: a product in another language is another entry`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let path = "/v1/products?ids=com.example.fishing"
            _ = try await store.send(.GET, path, token: token)
            _ = try await store.send(.GET, path + "&language=fr", token: token)
            _ = try await store.send(
                .POST, "/v1/products/query", token: token,
                body: #"{"productIdentifiers":["com.example.fishing"],"language":"pt_BR"}"#)
            let languages = store.catalog.contents.withLock { $0.productRequests.map(\.language) }
            #expect(languages == [nil, "fr", "pt_BR"])
            for wrong in ["", "f", "french", "fr_", "_fr", "12", "fr%40x", "fr_123456789"] {
                let refused = try await store.send(.GET, "/v1/products?language=\(wrong)", token: token)
                #expect(refused.status == 400 && refused.text.contains("query language"), "\(wrong)")
            }
        }
    }

    @Test func `what an operator changes, the next request sees; meanwhile Catalog is asked once`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let path = "/v1/products?ids=com.example.fishing"
            let first = try await store.send(.GET, path, token: token)
            _ = try await store.send(.GET, path, token: token)
            // By whichever gateway.
            let asked = store.catalog.contents.withLock { contents in
                // A machine that is busy for a second between the two has to ask twice.
                contents.products[1].localizedTitle = "Renamed"
                return contents.productRequests.count
            }
            #expect((1...2).contains(asked))
            let second = try await store.send(.GET, path, token: token)
            #expect(second.text.contains("Renamed"))
            #expect(!first.text.contains("Renamed"))
        }
    }

    @Test func `what is handed on byte by byte is what encoding it would make, for every answer`() async throws {
        for product in Sample.products {
            let shown = try EncodedProduct(product)
            let possible = product.type == .autoRenewable ? OfferEligibility.allCases : [.ineligible]
            for eligibility in possible {
                var whole = product
                whole.introductoryOfferEligibility = eligibility
                #expect(shown[eligibility].bytes == (try StoreJSON.encode(whole)))
            }
        }
    }
}
