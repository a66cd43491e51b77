import BusClient
import BusService
import EventLoop
import ServiceDatabase
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: what one process of the service has answered to the operator, every one of them answers by from then on.
/// Method: two of them on one PostgreSQL share the bus's queue group; they read the database for requests only.
@Suite struct CatalogReplicaTests {
    private static let bundleId = CatalogFixture.bundleId

    private func withReplicas(
        _ body: ([CatalogStore], ServiceCaller) async throws -> Void
    ) async throws {
        try await withReplicas(on: InMemoryBus(), body)
    }

    private func withReplicas(
        on bus: InMemoryBus, _ body: ([CatalogStore], ServiceCaller) async throws -> Void
    ) async throws {
        let fixture = try CatalogFixture(.postgres)
        try await fixture.withDatabase { database async throws in
            let stores = [try await fixture.load(database), try await fixture.load(database)]
            var running: [RunningService] = []
            for store in stores {
                running.append(
                    await RunningService.start(.catalog, on: bus) {
                        let leases = LeaseIssuer(.catalog, database, on: $0)
                        CatalogHandlers(store: store, leases: leases).register(on: $0)
                    })
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
                    let reply = try await caller.call(
                        CatalogEndpoints.leaseApp, AppLeaseRequest(bundleId: Self.bundleId))
                    #expect(reply.version.catalogVersion == Int64(round) && !reply.isLeased)
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
            let request = AppLeaseRequest(bundleId: Self.bundleId)
            let none = try await caller.call(CatalogEndpoints.leaseApp, request)
            #expect(none.version == AppVersion(catalogVersion: 0, settingsRevision: 0))
            try await stores[0].importFile(FileBuilder.file(products: [FileBuilder.product("coins")]))
            for _ in 0..<4 { #expect(try await caller.call(CatalogEndpoints.leaseApp, request) != none) }
        }
    }

    @Test func `E1: a reader's lease is over before the operator is answered, whichever replica granted it`()
        async throws
    {
        let bus = InMemoryBus()
        let client = bus.client(name: "reader")
        let lease = ServiceCaller(bus: client, caller: "reader").function(CatalogEndpoints.leaseApp)
        let granted = Locked(0)
        let versions = VersionLeases<AppVersion>(of: .catalog, on: client) {
            (app, holder, deadline) async throws(StoreError) in
            let reply = try await lease(AppLeaseRequest(bundleId: app.text, holder: holder), deadline)
            if reply.isLeased { granted.withLock { $0 += 1 } }
            return reply
        }
        let receiving = Task { await versions.recalls().run() }
        defer { receiving.cancel() }
        try await withReplicas(on: bus) { _, caller in
            let app = ExactText(Self.bundleId)
            let later = ContinuousClock.now + .seconds(60)
            func change(to revision: Int64) async throws {
                _ = try await caller.call(
                    CatalogEndpoints.putApp,
                    PutAppRequest(bundleId: Self.bundleId, settings: AppSettings(name: "\(revision)")))
            }
            for revision in Int64(1)...10 {
                try await change(to: revision)
                #expect(versions.held(app)?.settingsRevision ?? revision == revision)
                try await eventually("the version is held") {
                    let read = try await versions.version(of: app, until: later)
                    #expect(read.settingsRevision == revision)
                    return versions.held(app) != nil
                }
            }
            #expect(granted.withLock { $0 } >= 10)
            // Held, and out of the owner's reach: the change waits for the lease's end.
            client.disconnect()
            #expect(versions.held(app)?.settingsRevision == 10)
            try await change(to: 11)
            #expect(versions.held(app) == nil)
            client.reconnect()
            #expect(try await versions.version(of: app, until: later).settingsRevision == 11)
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
