import StoreModels
import Testing

@testable import Catalog

/// Fifteen files of real projects: each is imported and compared with an independent reading of it.
@Suite struct SampleImportTests {
    private static let storefronts = [
        ("USA", "USD", "en_US@currency=USD", 2), ("FRA", "EUR", "fr_FR@currency=EUR", 2),
        ("JPN", "JPY", "ja_JP@currency=JPY", 0),
    ]

    @Test func `all fifteen samples are there`() {
        #expect(SampleFile.all.count == 15)
    }

    @Test(arguments: SampleFile.all)
    func `a real file is imported and every product has the right price in three storefronts`(
        _ sample: SampleFile
    ) async throws {
        try await withCatalog { store async throws in
            let report = try await store.importFile(sample.bytes, named: sample.name)
            #expect(report.productCount == sample.items.count)
            #expect(report.subscriptionGroupCount == sample.groupCount)
            #expect(report.introductoryOfferCount == sample.items.count { $0.introductoryMode != nil })
            #expect(report.promotionalOfferCount == sample.items.reduce(0) { $0 + $1.promotionalOffers })
            #expect(report.offerCodeCount == sample.items.reduce(0) { $0 + $1.offerCodes })
            #expect(report.winBackOfferCount == 0)
            for (country, currency, priceLocale, digits) in Self.storefronts {
                let products = try store.allProducts(in: country)
                #expect(products.map(\.productIdentifier) == sample.items.map(\.productIdentifier))
                for (product, item) in zip(products, sample.items) {
                    #expect(product.price.amount == item.price(fractionDigits: digits), "\(item.productIdentifier)")
                    #expect(product.price.currency.code == currency)
                    #expect(product.priceLocale == priceLocale)
                    #expect(product.subscriptionPeriod?.iso8601 == item.period)
                    #expect(product.subscriptionGroupIdentifier == item.groupIdentifier)
                    #expect((product.introductoryPrice != nil) == (item.introductoryMode != nil))
                    #expect(product.discounts.count == item.promotionalOffers)
                    #expect(!product.localizedTitle.isEmpty)
                }
            }
        }
    }

    @Test(arguments: SampleFile.all)
    func `a real file is exported byte for byte, in small parts too`(_ sample: SampleFile) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(sample.bytes, partSize: 1_000)
            #expect(try await store.exportFile() == sample.bytes)
        }
    }

    @Test func `unknown members are kept byte for byte`() async throws {
        let text = """
            {"products" :[ ],\t"unheardOf":{"deep":[1.50,-0.0,1e3,null,"\\u00e9"]},
              "subscriptionGroups":[{"id":"G","colour":"red","subscriptions":[]}], "version":{"major":5,"minor":7,"patch":"x"}}
            """
        try await withCatalog { store async throws in
            try await store.importFile(Array(text.utf8))
            #expect(try await store.exportFile() == Array(text.utf8))
        }
    }

    @Test func `the sample catalogue of the program itself is imported into an empty store only`() async throws {
        try await withCatalog { store async throws in
            #expect(try await store.importSampleIfEmpty())
            #expect(try await store.importSampleIfEmpty() == false)
            // M135
            #expect(
                try store.allProducts().map(\.localizedTitle) == [
                    "Hidden Beaches", "Fishing Hot Spots", "Pro Subscription", "Pro Subscription, yearly",
                ])
            #expect(try store.product("com.example.hiddenBeaches", in: "FRA")?.localizedTitle == "Plages secrètes")
            #expect(try store.product("com.example.hiddenBeaches", in: "JPN")?.localizedTitle == "隠れたビーチ")
            #expect(try store.product("com.example.pro.monthly")?.introductoryPrice?.paymentMode == .freeTrial)
        }
    }

    @Test func `the sample catalogue has two levels, a grace period and an offer of each kind`() async throws {
        try await withCatalog { store async throws in
            #expect(try await store.importSampleIfEmpty())
            #expect(try store.quote("com.example.pro.yearly", of: "com.example.app").subscriptionLevel == 1)
            let monthly = try store.quote("com.example.pro.monthly", of: "com.example.app")
            #expect(monthly.subscriptionLevel == 2)
            #expect(monthly.redeemableOffers?.map(\.offer.identifier) == ["SPRING", "back.free.month"])
            #expect(try store.product("com.example.pro.monthly")?.discounts.map(\.identifier) == ["loyal"])
            #expect(try store.app(AppRequest(bundleId: "com.example.app")).settings.billingGracePeriod)
        }
    }
}
