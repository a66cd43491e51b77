import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: the featured tab is one list across apps, and each app's page knows its own part of it (M64).
@Suite struct FeaturedTests {
    private static let other = "com.example.other"

    private func list(_ products: (app: String, product: String)...) -> FeaturedList {
        FeaturedList(products: products.map { ProductReference(bundleId: $0.app, productIdentifier: $0.product) })
    }

    private let app = CatalogFixture.bundleId

    @Test(arguments: Engine.allCases)
    func `M64 the tab is put whole, given back as it was put, and survives a restart`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        let featured = list((app, "b"), (Self.other, "x"), (app, "a"))
        try await fixture.withStore { store async throws in
            #expect(try await store.promotions.featured(Empty()) == list())
            try await store.importProducts(["a", "b", "c"])
            try await store.importProducts(["x", "a"], of: Self.other)
            #expect(try await store.promotions.put(featured) == featured)
            #expect(try await store.promotions.put(featured) == featured)
        }
        try await fixture.withStore { store async throws in
            #expect(try await store.promotions.featured(Empty()) == featured)
            #expect(try store.promoted().featuredProductIdentifiers == ["b", "a"])
            #expect(try store.promoted(of: Self.other).featuredProductIdentifiers == ["x"])
            _ = try await store.promotions.put(list((app, "c")))
            #expect(try store.promoted().featuredProductIdentifiers == ["c"])
            #expect(try store.promoted(of: Self.other).featuredProductIdentifiers == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `an isolated store begins with the app's part of the tab, has its own, and takes it along`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            let copy = "\(app)@t-7.42"
            let scope = IsolationScope(of: copy)
            try await store.importProducts(["a", "b"])
            try await store.importProducts(["x"], of: Self.other)
            let featured = list((app, "b"), (Self.other, "x"), (app, "a"))
            _ = try await store.promotions.put(featured)
            let copies = AppCopies(database: store.apps.database, loader: store.loader)
            _ = try await copies.copy(CopyAppRequest(from: app, to: copy))
            #expect(try await store.promotions.featured(FeaturedRequest(in: scope)) == list((copy, "b"), (copy, "a")))
            #expect(try await store.promotions.featured(Empty()) == featured)

            let own = list((copy, "a"))
            _ = try await store.promotions.put(PutFeaturedRequest(own.products, in: scope))
            #expect(try await store.promotions.featured(FeaturedRequest(in: scope)) == own)
            #expect(try await store.promotions.featured(Empty()) == featured)
            _ = try await store.promotions.put(list())
            #expect(try await store.promotions.featured(FeaturedRequest(in: scope)) == own)
            for (products, scope) in [(own, IsolationScope.installation), (featured, scope)] {
                let request = PutFeaturedRequest(products.products, in: scope)
                #expect(try await refusal { try await store.promotions.put(request) }?.code == .notFound)
            }
            _ = try await copies.remove(RemoveAppRequest(bundleId: copy))
            #expect(try await store.promotions.featured(FeaturedRequest(in: scope)) == list())
        }
    }

    @Test func `M64 what is not promoted is not featured, until it is`() async throws {
        try await withCatalog { store async throws in
            try await store.importProducts(["a", "b"])
            _ = try await store.promotions.put(list((app, "b"), (app, "a")))
            try await store.promote(["a", "b"])
            #expect(try store.promoted().featuredProductIdentifiers == [])
            try await store.illustrate(["a"])
            #expect(try store.promoted().featuredProductIdentifiers == ["a"])
            try await store.illustrate(["b"])
            #expect(try store.promoted().featuredProductIdentifiers == ["b", "a"])
            try await store.importProducts(["b"])
            #expect(try store.promoted().featuredProductIdentifiers == ["b"])
        }
    }

    @Test func `at most a hundred, each once, of products there are`() async throws {
        try await withCatalog { store async throws in
            let products = (0..<101).map { "p\($0)" }
            try await store.importProducts(products)
            let all = products.map { ProductReference(bundleId: app, productIdentifier: $0) }
            let cases: [(list: FeaturedList, code: StoreErrorCode)] = [
                (FeaturedList(products: all), .requestInvalid), (list((app, "p1"), (app, "p1")), .requestInvalid),
                (list((app, "nothing")), .productNotFound), (list((Self.other, "p1")), .notFound),
            ]
            for item in cases {
                #expect(try await refusal { try await store.promotions.put(item.list) }?.code == item.code)
            }
            #expect(try await store.promotions.featured(Empty()) == list())
            let hundred = FeaturedList(products: Array(all.prefix(100)))
            #expect(try await store.promotions.put(hundred) == hundred)
        }
    }

    @Test(arguments: Engine.allCases)
    func `only apps whose part has changed get a new version`(_ engine: Engine) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a", "b"])
            try await store.importProducts(["x"], of: Self.other)
            func versions() throws -> [Int64] {
                try [app, Self.other].map { try store.app(AppRequest(bundleId: $0)).catalogVersion }
            }
            _ = try await store.promotions.put(list((app, "a"), (Self.other, "x")))
            #expect(try versions() == [2, 2])
            // Between the apps the order is the tab's, not theirs.
            _ = try await store.promotions.put(list((Self.other, "x"), (app, "a")))
            #expect(try versions() == [2, 2])
            _ = try await store.promotions.put(list((Self.other, "x"), (app, "b")))
            #expect(try versions() == [3, 2])
            _ = try await store.promotions.put(list())
            #expect(try versions() == [4, 3])
        }
    }

    @Test(arguments: Engine.allCases)
    func `of tabs that are put at the same time one is in force, in memory too`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database async throws in
            let stores = [try await fixture.load(database), try await fixture.load(database)]
            try await stores[0].importProducts(["a", "b"])
            try await stores[0].importProducts(["a", "b"], of: Self.other)
            let lists = [
                list((app, "a"), (Self.other, "b")), list((Self.other, "a"), (app, "b")), list((app, "b")),
                list((Self.other, "b")),
            ]
            try await withThrowingTaskGroup { group in
                for index in 0..<16 {
                    group.addTask { _ = try await stores[index % 2].promotions.put(lists[index % 4]) }
                }
                try await group.waitForAll()
            }
            let winner = try await stores[0].promotions.featured(Empty())
            #expect(lists.contains(winner))
            for store in stores {
                try await store.loader.refresh()
                for bundleId in [app, Self.other] {
                    let expected = winner.products.filter { $0.bundleId == bundleId }.map(\.productIdentifier)
                    #expect(try store.promoted(of: bundleId).featuredProductIdentifiers == expected)
                }
            }
        }
    }
}

extension PromotionService {
    /// Replaces the tab of the apps outside of isolated stores.
    func put(_ list: FeaturedList) async throws -> FeaturedList {
        try await put(PutFeaturedRequest(list.products, in: .installation)).reply
    }

    /// Reads the tab of the apps outside of isolated stores.
    func featured(_ request: Empty) async throws -> FeaturedList {
        try await featured(FeaturedRequest(in: .installation))
    }
}
