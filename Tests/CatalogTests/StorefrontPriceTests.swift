import StoreModels
import Testing

@testable import Catalog

/// `prices`: what a product or an offer costs in the storefronts that have a price of their own.
@Suite struct StorefrontPriceTests {
    private let prices: JSONValue = [
        "FRA": "2.29", "JPN": "300", "CHN": ["amount": "6", "currency": "CNY"], "GBR": "1.00",
    ]

    @Test(arguments: [
        ("FRA", "2.29", "fr_FR@currency=EUR"), ("JPN", "300", "ja_JP@currency=JPY"),
        ("CHN", "6.00", "zh_CN@currency=CNY"), ("GBR", "1.00", "en_GB@currency=GBP"),
        ("DEU", "1.99", "de_DE@currency=EUR"), ("KOR", "2", "ko_KR@currency=KRW"),
    ])
    func `M10 a storefront's own price counts, else the file's number`(
        country: String, amount: String, locale: String
    ) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(products: [FileBuilder.product("a", price: "1.99", ["prices": prices])]))
            let product = try #require(try store.product("a", in: country))
            #expect(product.price.amount == amount)
            #expect(product.priceLocale == locale)
            #expect(try store.quote("a", in: country).product?.price == product.price)
        }
    }

    @Test func `M131 an offer has prices of its own too, and a free trial costs nothing anywhere`() async throws {
        let file = FileBuilder.file(subscriptions: [
            FileBuilder.subscription(
                "s", price: "9.99",
                [
                    "prices": ["FRA": "10.99"],
                    "introductoryOffer": FileBuilder.offer("payUpFront", "P2M", price: "4.99", ["prices": prices]),
                    "adHocOffers": [
                        FileBuilder.offer("free", "P1W", ["offerID": "trial", "prices": ["FRA": "1.00"]]),
                        FileBuilder.offer("payUpFront", "P1M", price: "3", ["offerID": "o", "prices": ["FRA": "0"]]),
                    ],
                ])
        ])
        try await withCatalog { store async throws in
            let report = try await store.importFile(file)
            #expect(report.notes.contains { $0.contains("adHocOffers[0].prices has no effect: a free trial") })
            let french = try #require(try store.product("s", in: "FRA"))
            #expect(french.price.amount == "10.99")
            #expect(french.introductoryPrice?.price.amount == "2.29")
            #expect(french.introductoryPrice?.priceLocale == "fr_FR@currency=EUR")
            #expect(french.discounts.map(\.price.amount) == ["0.00", "0.00"])
            let german = try #require(try store.product("s", in: "DEU"))
            #expect(german.price.amount == "9.99")
            #expect(german.introductoryPrice?.price.amount == "4.99")
            #expect(german.discounts.map(\.price.amount) == ["0.00", "3.00"])
        }
    }

    @Test func `the report says where the same number counts, and only there`() async throws {
        let everywhere = JSONValue.object(
            Dictionary(
                uniqueKeysWithValues: StorefrontTable.builtIn.entries.map { ($0.storefront.countryCode, "2") }))
        try await withCatalog { store async throws in
            let plain = FileBuilder.product("plain")
            let some = FileBuilder.product("some", ["prices": ["FRA": "2.29"]])
            let all = FileBuilder.product("all", ["prices": everywhere])
            #expect(try await store.importFile(FileBuilder.file(products: [all])).notes.isEmpty)
            let mixed = try await store.importFile(FileBuilder.file(products: [plain, some, all])).notes
            #expect(mixed.contains { $0.hasPrefix("2 of 3 products have prices for some storefronts; every other") })
            #expect(mixed.contains { $0.contains("round 2 of the prices") })
            let none = try await store.importFile(FileBuilder.file(products: [plain])).notes
            #expect(
                none.first == "Each product has one price: every storefront uses the same number in its own currency.")
        }
    }
}
