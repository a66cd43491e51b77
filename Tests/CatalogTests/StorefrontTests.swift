import StoreModels
import Testing

@testable import Catalog

@Suite struct StorefrontTests {
    private let table = StorefrontTable.builtIn

    @Test func `M10 M11 price and locale are the storefront's, and the number is never converted`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a", price: "1.99")]))
            for (country, amount, locale) in [
                ("USA", "1.99", "en_US@currency=USD"), ("FRA", "1.99", "fr_FR@currency=EUR"),
                ("JPN", "2", "ja_JP@currency=JPY"), ("CHN", "1.99", "zh_CN@currency=CNY"),
            ] {
                let product = try #require(try store.product("a", in: country))
                #expect(product.price.amount == amount)
                #expect(product.priceLocale == locale)
            }
        }
    }

    @Test func `a list without a storefront has the prices of the file's`() async throws {
        try await withCatalog { store async throws in
            func currency() throws -> String? {
                try store.products.list(ProductsPageRequest(bundleId: CatalogFixture.bundleId)).products.first?
                    .price.currency.code
            }
            #expect(try currency() == nil)
            let products = [FileBuilder.product("a", price: "1.99")]
            try await store.importFile(FileBuilder.file(products: products))
            #expect(try currency() == "USD")
            try await store.importFile(FileBuilder.file(products: products, settings: ["_storefront": "CHN"]))
            #expect(try currency() == "CNY")
        }
    }

    @Test(arguments: [
        ("0.5", "0.50", "1"), ("0.49", "0.49", "1"), ("0.01", "0.01", "1"), ("0", "0.00", "0"),
        ("300", "300.00", "300"),
        ("5.", "5.00", "5"), (".5", "0.50", "1"), ("1.50", "1.50", "2"), ("1.49", "1.49", "1"), ("1.990", "1.99", "2"),
        ("007.10", "7.10", "7"), ("999999999999.99", "999999999999.99", "1000000000000"),
    ])
    func `missing digits are filled, yen are rounded half-up and never to nothing`(
        text: String, dollars: String, yen: String
    ) throws {
        let amount = try #require(DecimalAmount(text))
        #expect(amount.money(in: try #require(Currency(code: "USD"))).amount == dollars)
        #expect(amount.money(in: try #require(Currency(code: "JPY"))).amount == yen)
    }

    @Test func `a group's name is in the storefront's language, else as the file names the group`() async throws {
        try await withCatalog { store async throws in
            let group: JSONValue = [
                "id": "G", "name": "Pro",
                "localizations": [FileBuilder.localization("fr_FR", "Accès"), FileBuilder.localization("ja", "")],
                "subscriptions": [FileBuilder.subscription("s")],
            ]
            let unnamed: JSONValue = ["id": "H", "subscriptions": [FileBuilder.subscription("t")]]
            try await store.importFile(["subscriptionGroups": [group, unnamed]])
            func name(_ product: String, _ country: String) throws -> String? {
                try store.product(product, in: country)?.subscriptionGroupDisplayName
            }
            #expect(try name("s", "FRA") == "Accès")
            #expect(try name("s", "JPN") == "Pro")
            #expect(try name("t", "FRA") == "H")
        }
    }

    private static let texts = FileBuilder.file(
        products: [
            FileBuilder.product(
                "a",
                [
                    "localizations": [
                        FileBuilder.localization("en_US", "Beaches", "english"),
                        FileBuilder.localization("fr_FR", "Plages", "français"),
                        FileBuilder.localization("pt_BR", "Praias"), FileBuilder.localization("zh-Hant", "海灘"),
                        FileBuilder.localization("zh-Hans", "海滩"),
                    ]
                ]),
            FileBuilder.product("untitled", ["localizations": [FileBuilder.localization("en_US", "", "only a text")]]),
            FileBuilder.product("bare"),
        ])

    /// M12: the storefront's own locale, its language elsewhere, the storefront's next language, the file's own, the
    /// first.
    @Test(arguments: [
        ("USA", "Beaches"), ("FRA", "Plages"), ("GBR", "Beaches"), ("DEU", "Beaches"), ("CAN", "Beaches"),
        ("BEL", "Plages"), ("PRT", "Praias"), ("CHN", "海滩"), ("TWN", "海灘"), ("HKG", "海灘"), ("JPN", "Beaches"),
    ])
    func `M12 the title follows the storefront's languages`(country: String, title: String) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(Self.texts)
            #expect(try store.product("a", in: country)?.localizedTitle == title)
        }
    }

    /// M12: a preferred language that the catalogue has precedes the storefront's, which keeps its prices.
    @Test(arguments: [
        ("USA", "fr", "Plages"), ("USA", "fr-CA", "Plages"), ("USA", "fr_FR", "Plages"), ("FRA", "en_GB", "Beaches"),
        ("USA", "zh_TW", "海灘"), ("USA", "zh-Hans-SG", "海滩"), ("FRA", "ja_JP", "Plages"), ("PRT", "ja", "Praias"),
    ])
    func `M12 the title is in the preferred language`(country: String, language: String, title: String) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(Self.texts)
            let usual = try #require(try store.product("a", in: country))
            let product = try #require(try store.product("a", in: country, language: language))
            #expect(product.localizedTitle == title)
            #expect(product.price == usual.price && product.priceLocale == usual.priceLocale)
            #expect(try store.product("a", in: country) == usual)
        }
    }

    @Test(arguments: ["", "f", "french", "fr_", "fr@currency=EUR", "fr FR", "12"])
    func `M12 a language without a language's form is refused by name`(language: String) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(Self.texts)
            let error = #expect(throws: StoreError.self) { try store.product("a", language: language) }
            #expect(error?.code == .requestInvalid)
            #expect(error?.details["path"] == "$.language")
        }
    }

    @Test func `M12 the default localization is the file's own, and the reference name replaces a missing title`()
        async throws
    {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(
                    products: [
                        FileBuilder.product(
                            "a",
                            [
                                "localizations": [
                                    FileBuilder.localization("es_ES", "Playas"),
                                    FileBuilder.localization("fr_FR", "Plages"),
                                ]
                            ])
                    ], settings: ["_locale": "fr_CA", "_storefront": "CAN"]))
            #expect(try store.product("a", in: "KOR")?.localizedTitle == "Plages")
            #expect(try store.product("a", in: "MEX")?.localizedTitle == "Playas")
            try await store.importFile(Self.texts)
            #expect(try store.product("untitled")?.localizedTitle == "ref untitled")
            #expect(try store.product("untitled")?.localizedDescription == "only a text")
            #expect(try store.product("bare")?.localizedTitle == "ref bare")
        }
    }

    @Test func `many storefronts in turn are all answered`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(Self.texts)
            for _ in 0..<2 {
                for entry in table.entries {
                    let product = try store.product("a", in: entry.storefront.countryCode)
                    #expect(product?.price.currency == entry.currency)
                    #expect(product?.priceLocale == "\(entry.locale)@currency=\(entry.currency)")
                }
            }
        }
    }
}
