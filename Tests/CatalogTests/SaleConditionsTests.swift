import StoreModels
import Testing

@testable import Catalog

/// Storebus's own members of a catalogue file: when, where and for how much a product is sold.
@Suite struct SaleConditionsTests {
    /// Identifiers that a customer in a storefront can buy.
    private func sold(_ store: CatalogStore, in storefront: String = "USA") throws -> [String] {
        let identifiers = try store.allProducts(in: storefront).map(\.productIdentifier)
        let all = try #require(store.directory.snapshot(of: CatalogFixture.bundleId)).catalog.products
        // Every question about the same moment has the same answer.
        for product in all.map(\.productIdentifier) {
            let isSold = identifiers.contains(product)
            #expect(try store.query([product], in: storefront).products.isEmpty != isSold)
            #expect(try store.query([product], in: storefront).invalidProductIdentifiers == (isSold ? [] : [product]))
            #expect(try store.quote(product, in: storefront).availability == (isSold ? .available : .notForSale))
            #expect((try store.quote(product, in: storefront).product != nil) == isSold)
            #expect(try store.explain(product, in: storefront).available == isSold)
        }
        let promoted = try store.promoted(in: storefront)
        #expect(promoted.products.map(\.productIdentifier) == Array(identifiers.prefix(20)))
        return identifiers
    }

    @Test(arguments: ProductState.allCases)
    func `M3 only an approved product is for sale`(state: ProductState) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(
                    products: [FileBuilder.product("a", ["state": .string(state.rawValue)]), FileBuilder.product("b")],
                    subscriptions: [FileBuilder.subscription("s", ["state": .string(state.rawValue)])]))
            #expect(try sold(store) == (state == .approved ? ["a", "b", "s"] : ["b"]))
        }
    }

    @Test func `M3 a product that is not cleared for sale is not sold`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(products: [
                    FileBuilder.product("a", ["clearedForSale": false]),
                    FileBuilder.product("b", ["clearedForSale": true]),
                ]))
            #expect(try sold(store) == ["b"])
        }
    }

    @Test func `M3 a list names the only storefronts, an object the exceptions`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(
                    products: [
                        FileBuilder.product("only", ["availability": ["FRA", "DEU"]]),
                        FileBuilder.product("except", ["availability": ["FRA": false, "USA": true]]),
                        FileBuilder.product("nowhere", ["availability": []]),
                        FileBuilder.product("everywhere", ["availability": .null]),
                    ], subscriptions: [FileBuilder.subscription("s", ["availability": ["JPN"]])]))
            #expect(try sold(store, in: "FRA") == ["only", "everywhere"])
            #expect(try sold(store, in: "DEU") == ["only", "except", "everywhere"])
            #expect(try sold(store, in: "USA") == ["except", "everywhere"])
            #expect(try sold(store, in: "JPN") == ["except", "everywhere", "s"])
        }
    }

    @Test func `M3 a product is sold from the instant it becomes available`() async throws {
        let fixture = try CatalogFixture()
        let start = Timestamp(milliseconds: 1_700_000_000_000) + .seconds(3_600)
        try await fixture.withStore { store async throws in
            try await store.importFile(
                FileBuilder.file(products: [
                    FileBuilder.product("later", ["availableFrom": .string("\(start)")]), FileBuilder.product("now"),
                ]))
            fixture.advance(by: .milliseconds(3_599_999))
            #expect(try sold(store) == ["now"])
            fixture.advance(by: .milliseconds(1))
            #expect(try sold(store) == ["later", "now"])
        }
    }

    @Test func `a product whose hosted content is missing is not sold, and says what it will bring`() async throws {
        try await withCatalog { store async throws in
            let content: JSONValue = ["version": "1.0.2", "lengths": [1_048_576]]
            try await store.importFile(
                FileBuilder.file(products: [
                    FileBuilder.product("a", type: "NonConsumable", ["hostedContent": content]),
                    FileBuilder.product("b"),
                ]))
            #expect(try sold(store) == ["b"])
            let catalog = try #require(store.directory.snapshot(of: CatalogFixture.bundleId)).catalog
            let presented = PresentedCatalog(catalog, for: try StorefrontTable.builtIn.entry("USA")).products
            #expect(presented[0].isDownloadable)
            #expect(presented[0].downloadContentLengths == [1_048_576])
            #expect(presented[0].downloadContentVersion == "1.0.2")
            #expect(!presented[1].isDownloadable)
        }
    }

    @Test func `M109 the promoted list skips what cannot be bought and is still full`() async throws {
        try await withCatalog { store async throws in
            let products = (0..<50).map { FileBuilder.product("p\($0)", ["clearedForSale": .bool($0 % 2 == 1)]) }
            try await store.importFile(FileBuilder.file(products: products))
            let promoted = try store.promoted()
            #expect(promoted.products.map(\.productIdentifier) == (0..<20).map { "p\($0 * 2 + 1)" })
        }
    }

    @Test func `pages go on behind a product that is no longer sold`() async throws {
        try await withCatalog { store async throws in
            let products = (0..<30).map { FileBuilder.product("p\($0)", ["clearedForSale": .bool($0 % 3 != 0)]) }
            try await store.importFile(FileBuilder.file(products: products))
            let expected = (0..<30).filter { $0 % 3 != 0 }.map { "p\($0)" }
            for limit in [1, 2, 7, 500] {
                #expect(try store.allProducts(limit: limit).map(\.productIdentifier) == expected)
            }
            let behind = try store.products.list(
                ProductsPageRequest(bundleId: CatalogFixture.bundleId, storefront: "USA", after: "p27"))
            #expect(behind.products.map(\.productIdentifier) == ["p28", "p29"])
        }
    }

    @Test func `a member that is nearly ours is noted, any other unknown one is Xcode's`() async throws {
        try await withCatalog { store async throws in
            let change: [String: JSONValue] = [
                "clearedforsale": false, "availabilty": ["FRA"], "price": ["FRA": "1"], "statement": "x", "billing": 1,
            ]
            let notes = try await store.importFile(
                FileBuilder.file(products: [FileBuilder.product("a", change)])
            ).notes.filter { $0.contains("did you mean") }
            #expect(
                notes == [
                    "$.products[0].availabilty is unknown and has no effect; did you mean availability?",
                    "$.products[0].clearedforsale is unknown and has no effect; did you mean clearedForSale?",
                    "$.products[0].price is unknown and has no effect; did you mean prices?",
                ])
            #expect(try sold(store) == ["a"])
        }
    }

    @Test func `a restart keeps all of it`() async throws {
        let fixture = try CatalogFixture()
        let file = FileBuilder.file(products: [
            FileBuilder.product("a", ["availability": ["FRA"], "prices": ["FRA": "2.29"]]),
            FileBuilder.product("b", ["state": "rejected"]),
        ])
        try await fixture.withStore { _ = try await $0.importFile(file) }
        try await fixture.withStore { store async throws in
            #expect(try sold(store, in: "FRA") == ["a"])
            #expect(try store.product("a", in: "FRA")?.price.amount == "2.29")
            #expect(try await store.exportFile() == StoreJSON.encode(file))
        }
    }
}
