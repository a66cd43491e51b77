import BusClient
import BusService
import EventLoop
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: what one process of the service has answered to the operator, every one of them answers by from then on.
/// Method: two of them on one PostgreSQL share the bus's queue group; they read the database for requests only.
@Suite struct CatalogReplicaTests {
    private static let bundleId = CatalogFixture.bundleId

    private func withReplicas(_ body: ([CatalogStore], ServiceCaller) async throws -> Void) async throws {
        let fixture = try CatalogFixture(.postgres)
        try await fixture.withDatabase { database async throws in
            let stores = [try await fixture.load(database), try await fixture.load(database)]
            let bus = InMemoryBus()
            var running: [RunningService] = []
            for store in stores {
                running.append(
                    await RunningService.start(.catalog, on: bus) { CatalogHandlers(store: store).register(on: $0) })
            }
            let result: Result<Void, any Error>
            do {
                result = .success(
                    try await body(stores, ServiceCaller(bus: bus.client(name: "test"), caller: "test")))
            } catch {
                result = .failure(error)
            }
            for service in running { await service.stop() }
            try result.get()
        }
    }

    @Test func `E1: a price is in force at both at once, whichever of them imported it`() async throws {
        try await withReplicas { stores, caller in
            for round in 1...10 {
                let price = "\(round).49"
                try await stores[round % 2].importFile(
                    FileBuilder.file(products: [FileBuilder.product("coins", price: price)]))
                for _ in 0..<4 {
                    let quote = try await caller.call(
                        CatalogEndpoints.quoteProduct,
                        QuoteRequest(bundleId: Self.bundleId, productIdentifier: "coins", storefront: "USA"))
                    #expect(quote.product?.price.amount == price)
                    let version = try await caller.call(
                        CatalogEndpoints.appVersion, AppRequest(bundleId: Self.bundleId))
                    #expect(version.catalogVersion == Int64(round))
                }
            }
        }
    }

    @Test func `E1: settings are in force at both at once, in every answer about the app`() async throws {
        try await withReplicas { stores, caller in
            try await stores[0].importFile(FileBuilder.file(products: [FileBuilder.product("coins")]))
            for round in 1...6 {
                let isActive = round.isMultiple(of: 2)
                try await stores[round % 2].deactivateAgreements(!isActive)
                for _ in 0..<4 {
                    let app = try await caller.call(CatalogEndpoints.getApp, AppRequest(bundleId: Self.bundleId))
                    #expect(app.settings.agreementsActive == isActive)
                    let reply = try await caller.call(
                        CatalogEndpoints.queryProducts,
                        ProductsRequest(bundleId: Self.bundleId, productIdentifiers: ["coins"], storefront: "USA"))
                    #expect(reply.products.isEmpty != isActive)
                }
            }
        }
    }

    @Test func `an app that does not exist has a version, and another one when it is made`() async throws {
        try await withReplicas { stores, caller in
            let request = AppRequest(bundleId: Self.bundleId)
            let none = try await caller.call(CatalogEndpoints.appVersion, request)
            #expect(none == AppVersion(catalogVersion: 0, settingsRevision: 0))
            try await stores[0].importFile(FileBuilder.file(products: [FileBuilder.product("coins")]))
            for _ in 0..<4 { #expect(try await caller.call(CatalogEndpoints.appVersion, request) != none) }
        }
    }

    @Test(arguments: Engine.allCases)
    func `subscribers are notified of a changed app before the operator is answered`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store in
            let told = Locked<[String]>([])
            store.onChange { bundleId in told.withLock { $0.append(bundleId) } }
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("coins")]))
            #expect(told.withLock { $0 } == [Self.bundleId])
            try await store.deactivateAgreements()
            #expect(told.withLock { $0 } == [Self.bundleId, Self.bundleId])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a product in another spelling changes the featured tab`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store in
            let spellings = ["caf\u{E9}", "cafe\u{301}"]
            try await store.importFile(FileBuilder.file(products: spellings.map { FileBuilder.product($0) }))
            for spelling in spellings {
                let list = FeaturedList(products: [
                    ProductReference(bundleId: Self.bundleId, productIdentifier: spelling)
                ])
                _ = try await store.promotions.put(list)
                let featured = store.directory.snapshot(of: Self.bundleId)?.promotions.featured ?? []
                #expect(featured.map { Array($0.utf8) } == [Array(spelling.utf8)])
            }
        }
    }
}
