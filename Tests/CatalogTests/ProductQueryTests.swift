import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

@Suite struct ProductQueryTests {
    private let twoProducts = FileBuilder.file(products: [FileBuilder.product("a"), FileBuilder.product("c")])

    @Test func `M2 known and unknown identifiers are listed apart`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(twoProducts)
            let both = try store.query(["a", "b"])
            #expect(both.products.map(\.productIdentifier) == ["a"])
            #expect(both.invalidProductIdentifiers == ["b"])
            #expect(try store.query(["a"]).invalidProductIdentifiers.isEmpty)
            #expect(try store.query(["b"]).products.isEmpty)
            #expect(
                try store.query([]) == ProductsReply(products: [], invalidProductIdentifiers: [], catalogVersion: 1))
        }
    }

    @Test func `M7 a duplicate counts once, in the order of asking`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(twoProducts)
            let reply = try store.query(["c", "x", "a", "c", "x", "c"])
            #expect(reply.products.map(\.productIdentifier) == ["c", "a"])
            #expect(reply.invalidProductIdentifiers == ["x"])
        }
    }

    @Test func `M4 the two lists together are the set asked for, and nothing is in both`() async throws {
        var random = SplitMix64.seeded()
        // Both spellings of é are identifiers of their own, as is one of a hundred characters.
        let pieces = ["a", "B", ".", "-", "_", "é", "e\u{301}", "中", "👩‍👩‍👧", "\"", "\\", " ", "ß", "\u{202E}"]
        func identifier() -> String {
            let length = Int.random(in: 1...3, using: &random)
            return (0..<length).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
        }
        let long = String(repeating: "é", count: 100)
        let known = Set((0..<40).map { _ in ExactText(identifier()) } + [ExactText(long)]).map(\.text)
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: known.map { FileBuilder.product($0) }))
            for _ in 0..<300 {
                var asked = (0..<Int.random(in: 0...30, using: &random)).map { _ in identifier() }
                asked += known.shuffled(using: &random).prefix(Int.random(in: 0...10, using: &random))
                asked += [long, long + "é", String(repeating: "x", count: 100)]
                asked.shuffle(using: &random)
                let reply = try store.query(asked)
                let products = reply.products.map { ExactText($0.productIdentifier) }
                let invalid = reply.invalidProductIdentifiers.map { ExactText($0) }
                #expect(Set(products).union(invalid) == Set(asked.map { ExactText($0) }))
                #expect(Set(products).isDisjoint(with: invalid))
                #expect(Set(products).count == products.count && Set(invalid).count == invalid.count)
                #expect(Set(products).isSubset(of: known.map { ExactText($0) }))
            }
        }
    }

    @Test func `M137 a product of another app is invalid`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(twoProducts)
            try await store.importFile(
                FileBuilder.file(products: [FileBuilder.product("other")]), into: "com.example.other")
            #expect(try store.query(["a", "other"]).invalidProductIdentifiers == ["other"])
            #expect(try store.query(["a"], of: "com.example.other").invalidProductIdentifiers == ["a"])
            #expect(try store.query(["a"], of: "com.example.nobody").invalidProductIdentifiers == ["a"])
        }
    }

    @Test func `M16 an empty catalogue has no products`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file())
            #expect(try store.allProducts().isEmpty)
            #expect(try store.query(["a"]).invalidProductIdentifiers == ["a"])
        }
    }

    @Test func `M3 without agreements nothing is for sale`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(twoProducts)
            _ = try await store.put(
                PutAppRequest(
                    bundleId: CatalogFixture.bundleId, settings: AppSettings(name: "A", agreementsActive: false)))
            #expect(try store.query(["a"]).invalidProductIdentifiers == ["a"])
            #expect(try store.allProducts().isEmpty)
            let quote = try store.products.quote(
                QuoteRequest(bundleId: CatalogFixture.bundleId, productIdentifier: "a", storefront: "USA"))
            #expect(quote.availability == .notForSale)
            #expect(quote.product == nil)
        }
    }

    @Test func `a quote has the product, its level and the app's limit`() async throws {
        try await withCatalog { store async throws in
            let subscription = FileBuilder.subscription("s", ["groupNumber": 2])
            try await store.importFile(FileBuilder.file(subscriptions: [subscription]))
            _ = try await store.put(
                PutAppRequest(bundleId: CatalogFixture.bundleId, settings: AppSettings(name: "A", unfinishedLimit: 3)))
            let quote = try store.products.quote(
                QuoteRequest(bundleId: CatalogFixture.bundleId, productIdentifier: "s", storefront: "GBR"))
            #expect(quote.availability == .available)
            #expect(quote.product?.price.amount == "9.99")
            #expect(quote.product?.price.currency.code == "GBP")
            #expect(quote.subscriptionLevel == 2)
            #expect(quote.subscriptionGroupProducts == ["s"])
            #expect(quote.unfinishedLimit == 3)
            #expect(quote.catalogVersion == 1)
            let unknown = try store.products.quote(
                QuoteRequest(bundleId: CatalogFixture.bundleId, productIdentifier: "x", storefront: "USA"))
            #expect(unknown.availability == .unknown)
        }
    }

    @Test func `pages are cut by limit, by type and by what fits a message`() async throws {
        let description = String(repeating: "d", count: 3_900)
        let products = (0..<700).map { number in
            FileBuilder.product(
                "p\(number)", type: number.isMultiple(of: 10) ? "NonConsumable" : "Consumable",
                ["localizations": [FileBuilder.localization("en_US", "P", description)]])
        }
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: products))
            let identifiers = (0..<700).map { "p\($0)" }
            #expect(try store.allProducts(limit: 7).map(\.productIdentifier) == identifiers)
            let page = try store.products.list(
                ProductsPageRequest(bundleId: CatalogFixture.bundleId, storefront: "USA", limit: 500))
            #expect((1..<500).contains(page.products.count))
            #expect(try StoreJSON.encode(page).count <= 512 * 1024)
            #expect(try store.allProducts().map(\.productIdentifier) == identifiers)
            let typed = try store.products.list(
                ProductsPageRequest(
                    bundleId: CatalogFixture.bundleId, storefront: "USA", limit: 70, type: .nonConsumable))
            #expect(typed.products.count == 70)
            #expect(typed.after == nil)
            // A request cannot be cut, so it is refused with a sentence.
            let error = #expect(throws: StoreError.self) { try store.query(Array(identifiers.prefix(500))) }
            #expect(error?.code == .bodyTooLarge)
        }
    }

    @Test func `the size a page reckons with is never below the real one`() async throws {
        let nasty = "\"\\\n\u{1}é中👩‍👩‍👧"
        let offers = (0..<3).map {
            FileBuilder.offer("payUpFront", "P1M", price: "999999999999", ["offerID": .string("\(nasty)\($0)")])
        }
        let file = FileBuilder.file(subscriptions: [
            FileBuilder.subscription(
                "é\"", price: "999999999999.99",
                [
                    "localizations": [FileBuilder.localization("en_US", nasty, String(repeating: nasty, count: 50))],
                    "introductoryOffer": FileBuilder.offer("free", "P1W"), "adHocOffers": .array(offers),
                    "familyShareable": true,
                    "hostedContent": [
                        "version": "1234567.1234567.1234567.1234567",
                        "lengths": [268_435_456],
                    ],
                ])
        ])
        for bytes in SampleFile.all.map(\.bytes) + [try StoreJSON.encode(file)] {
            let catalog = try StoreKitFileReader.read(bytes, fileName: "App.storekit").catalog
            for entry in StorefrontTable.builtIn.entries {
                for product in PresentedCatalog(catalog, for: entry).products {
                    #expect(PresentedCatalog.byteCountMax(of: product) > (try StoreJSON.encode(product).count))
                }
            }
        }
    }

    @Test func `what cannot be asked is refused by its path`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(twoProducts)
            let storefront = #expect(throws: StoreError.self) { try store.query(["a"], in: "ATL") }
            #expect(storefront?.details["path"] == "$.storefront")
            let many = #expect(throws: StoreError.self) { try store.query((0...500).map(String.init)) }
            #expect(many?.details["path"] == "$.productIdentifiers")
            for limit in [0, -1, 501] {
                let error = #expect(throws: StoreError.self) { try store.allProducts(limit: limit) }
                #expect(error?.details["path"] == "$.limit")
            }
            let after = #expect(throws: StoreError.self) {
                try store.products.list(
                    ProductsPageRequest(bundleId: CatalogFixture.bundleId, storefront: "USA", after: "gone"))
            }
            #expect(after?.code == .notFound)
            #expect(after?.details["path"] == "$.after")
        }
    }

    @Test func `the promoted list is the catalogue's first twenty once the app is released`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: (0..<25).map { FileBuilder.product("p\($0)") }))
            #expect(try store.promoted().products.map(\.productIdentifier) == (0..<20).map { "p\($0)" })
            _ = try await store.put(
                PutAppRequest(bundleId: CatalogFixture.bundleId, settings: AppSettings(name: "A", released: false)))
            // M109
            #expect(try store.promoted().products.isEmpty)
        }
    }
}
