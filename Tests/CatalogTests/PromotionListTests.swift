import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: the operator's list is the order and the visibility of the store page (M67, M68), and what is not on the page
/// is not there for a reason that is said (M66).
@Suite struct PromotionListTests {
    @Test(arguments: Engine.allCases)
    func `M67 M68 the page has the list's order, hidden products are named, and both survive a restart`(
        _ engine: Engine
    ) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withStore { store async throws in
            try await store.importProducts(["a", "b", "c", "d"])
            try await store.illustrate(["a", "b", "c", "d"])
            let setup = try await store.promote(["d", "b", "a"], hidden: ["b"])
            #expect(setup.promotions.map(\.productIdentifier) == ["d", "b", "a"])
            #expect(setup.promotions.map(\.visible) == [true, false, true])
            #expect(setup.promotions.allSatisfy { $0.promoted && $0.reasons == [] && $0.image?.state == .approved })
        }
        try await fixture.withStore { store async throws in
            let reply = try store.promoted()
            #expect(reply.products.map(\.productIdentifier) == ["d", "b", "a"])
            #expect(reply.hiddenProductIdentifiers == ["b"])
            #expect(reply.catalogVersion == (try store.catalogVersion))
            #expect(try store.explain("c").promotion?.reasons == [.notInPromotions])
            try await store.promote(["c", "d"])
            #expect(try store.page() == ["c", "d"])
        }
    }

    @Test func `at most twenty, each once, of the app's products; the list in force stays otherwise`() async throws {
        try await withCatalog { store async throws in
            #expect(try await refusal { try await store.promote(["p0"]) }?.code == .notFound)
            #expect(try await refusal { try await store.promote([]) }?.code == .notFound)
            try await store.importProducts((0..<30).map { "p\($0)" })
            try await store.promote(["p3"])
            let cases: [(products: [String], code: StoreErrorCode, path: String)] = [
                ((0..<21).map { "p\($0)" }, .requestInvalid, "$"),
                (["p1", "p2", "p1"], .requestInvalid, "$[2].productIdentifier"),
                (["p1", "nothing"], .productNotFound, "$[1].productIdentifier"),
            ]
            for item in cases {
                let error = try await refusal { try await store.promote(item.products) }
                #expect(error?.code == item.code)
                #expect(error?.details["path"] == .string(item.path))
            }
            #expect(try await store.setup().promotions.map(\.productIdentifier) == ["p3"])
            #expect(try await store.promote((0..<20).map { "p\($0)" }).promotions.count == 20)
        }
    }

    @Test func `M66 an entry waits in the list for its image, and every step of that is said`() async throws {
        try await withCatalog { store async throws in
            try await store.importProducts(["a"])
            func reasons() async throws -> [PromotionExplanation.Reason] {
                let item = try #require(try await store.setup().promotions.first)
                #expect(item.promoted == item.reasons.isEmpty)
                #expect(item.details.count == item.reasons.count)
                #expect(try store.explain("a").promotion?.reasons == item.reasons)
                #expect(try store.page().isEmpty != item.promoted)
                #expect(try store.facts("a").isPromoted == item.promoted)
                return item.reasons
            }
            #expect(try await store.promote(["a"]).promotions.map(\.reasons) == [[.noImage]])
            #expect(try await reasons() == [.noImage])
            try await store.upload(image: ImageBuilder.jpeg(frame: 0xC2), of: "a")
            #expect(try await reasons() == [.imageWaitingForReview])
            try await store.review("a", approved: false)
            #expect(try await reasons() == [.imageRejected])
            try await store.review("a", approved: true)
            #expect(try await reasons() == [])
            try await store.deactivateAgreements()
            #expect(try await reasons() == [.notAvailable])
            try await store.release(false)
            // M109: the page is empty before the app is released.
            #expect(try await reasons() == [.appNotReleased])
        }
    }

    @Test func `M66 all reasons that apply are named in their order, each with its sentence`() async throws {
        try await withCatalog { store async throws in
            let products = [FileBuilder.product("a", ["clearedForSale": false]), FileBuilder.product("b")]
            try await store.importFile(FileBuilder.file(products: products))
            try await store.promote(["b"])
            try await store.release(false)
            let explanation = try #require(try store.explain("a").promotion)
            #expect(explanation.reasons == [.notInPromotions, .noImage, .notAvailable, .appNotReleased])
            #expect(Set(explanation.details).count == 4)
            #expect(try store.explain("nothing").promotion == nil)
        }
    }

    @Test func `without anything set up the page is a preview of the first twenty, until the first list or image`()
        async throws
    {
        try await withCatalog { store async throws in
            try await store.importProducts((0..<25).map { "p\($0)" })
            let first = (0..<20).map { "p\($0)" }
            #expect(try store.page() == first)
            let setup = try await store.setup()
            #expect(setup.isPreview)
            #expect(setup.promotions.map(\.productIdentifier) == first)
            #expect(setup.promotions.allSatisfy { $0.promoted && $0.visible && $0.image == nil })
            let behind = try #require(try store.explain("p20").promotion)
            #expect(behind.reasons == [.notInPromotions])
            #expect(behind.details.first?.contains("the first 20 products that can be bought") == true)
            try await store.upload(image: ImageBuilder.png(), of: "p24")
            #expect(try store.page() == [])
            #expect(try await store.setup().isPreview == false)
            #expect(try store.explain("p0").promotion?.reasons == [.noImage])
        }
    }

    @Test func `without a list, products with an image stand in the catalogue's order, at most twenty`() async throws {
        try await withCatalog { store async throws in
            let products = (0..<25).map { "p\($0)" }
            try await store.importProducts(products)
            try await store.illustrate(products.reversed())
            try await store.upload(image: ImageBuilder.png(), of: "p3")
            let expected = products.filter { $0 != "p3" }.prefix(20)
            #expect(try store.page() == Array(expected))
            #expect(try store.promoted().hiddenProductIdentifiers == [])
            let setup = try await store.setup()
            #expect(setup.promotions.map(\.productIdentifier) == products)
            #expect(setup.promotions.filter(\.promoted).map(\.productIdentifier) == Array(expected))
            #expect(setup.promotions[3].reasons == [.imageWaitingForReview])
            #expect(setup.promotions[24].reasons == [.notInPromotions])
        }
    }

    @Test func `an empty list promotes nothing`() async throws {
        try await withCatalog { store async throws in
            try await store.importProducts(["a"])
            #expect(try await store.promote([]).isPreview == false)
            #expect(try store.page() == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `M105 an import that removes a product passes its entry over, and one that has it again brings it back`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a", "b", "c"])
            try await store.illustrate(["a", "b", "c"])
            try await store.promote(["c", "b", "a"])
            try await store.importProducts(["a", "c", "new"])
            #expect(try store.page() == ["c", "a"])
            let gone = try #require(try await store.setup().promotions.first { $0.productIdentifier == "b" })
            #expect(gone.reasons == [.notAvailable])
            #expect(gone.details.first?.contains("no longer has it") == true)
            #expect(try store.explain("new").promotion?.reasons == [.notInPromotions, .noImage])
            // It may keep its place, so that the others can be moved, and comes back with the product.
            try await store.promote(["a", "b", "c"])
            #expect(try store.page() == ["a", "c"])
            try await store.importProducts(["b", "a", "c"])
            #expect(try store.page() == ["a", "b", "c"])
            // What is gone and on no list cannot be put.
            try await store.promote(["a", "c"])
            try await store.importProducts(["a", "c"])
            #expect(try await refusal { try await store.promote(["a", "b"]) }?.code == .productNotFound)
        }
    }

    @Test func `M63 a promoted list is of one storefront: what is not sold there is passed over`() async throws {
        try await withCatalog { store async throws in
            let only = FileBuilder.product("only", ["availability": ["FRA"]])
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("all"), only]))
            try await store.illustrate(["all", "only"])
            try await store.promote(["only", "all"])
            #expect(try store.page(in: "FRA") == ["only", "all"])
            #expect(try store.page(in: "USA") == ["all"])
            #expect(try store.promoted(in: "FRA").products.first?.price.currency.code == "EUR")
            #expect(try store.explain("only").promotion?.reasons == [.notAvailable])
            #expect(try store.explain("only", in: "FRA").promotion?.reasons == [])
            #expect(throws: StoreError.self) { try store.promoted(in: "FRE") }
            #expect(try store.promoted(of: "com.example.nobody").products == [])
        }
    }

    @Test(arguments: Engine.allCases)
    func `each change raises the version that keepers of products look at, the same again does not`(
        _ engine: Engine
    ) async throws {
        try await withCatalog(on: engine) { store async throws in
            try await store.importProducts(["a", "b"])
            #expect(try store.catalogVersion == 1)
            try await store.promote(["a"])
            try await store.promote(["a"])
            #expect(try store.catalogVersion == 2)
            try await store.promote(["a"], hidden: ["a"])
            #expect(try store.catalogVersion == 3)
            try await store.upload(image: ImageBuilder.png(), of: "a")
            try await store.review("a", approved: true)
            try await store.review("a", approved: true)
            #expect(try store.catalogVersion == 5)
            #expect(try store.promoted().catalogVersion == 5)
        }
    }

    @Test(arguments: Engine.allCases)
    func `what one process sets up the others have after a look, and an operator at once`(_ engine: Engine) async throws
    {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database async throws in
            let (first, second) = (try await fixture.load(database), try await fixture.load(database))
            try await first.importProducts(["a", "b"])
            // The other one does not know the app yet.
            try await second.promote(["b", "a"])
            try await second.illustrate(["a", "b"])
            #expect(try await first.setup().promotions.map(\.reasons) == [[], []])
            #expect(try first.page() == ["b", "a"])
            try await first.promote(["a"])
            #expect(try second.page() == ["b", "a"])
            try await second.loader.refresh()
            #expect(try second.page() == ["a"])
            // An import keeps what was set up by another process just before.
            try await first.promote(["b", "a"], hidden: ["a"])
            try await second.importProducts(["a", "b", "c"])
            #expect(try second.promoted().hiddenProductIdentifiers == ["a"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `of lists that are put at the same time one is in force, whole`(_ engine: Engine) async throws {
        let fixture = try CatalogFixture(engine)
        try await fixture.withDatabase { database async throws in
            let stores = [try await fixture.load(database), try await fixture.load(database)]
            let products = (0..<8).map { "p\($0)" }
            try await stores[0].importProducts(products)
            try await stores[0].illustrate(products)
            try await stores[1].loader.refresh()
            try await withThrowingTaskGroup { group in
                for index in 0..<16 {
                    let rotated = (0..<8).map { products[($0 + index) % 8] }
                    group.addTask { try await stores[index % 2].promote(rotated) }
                }
                try await group.waitForAll()
            }
            for store in stores { try await store.loader.refresh() }
            let page = try stores[0].page()
            let start = try #require(page.first.flatMap { products.firstIndex(of: $0) })
            #expect(page == (0..<8).map { products[($0 + start) % 8] })
            #expect(try stores[1].page() == page)
        }
    }
}
