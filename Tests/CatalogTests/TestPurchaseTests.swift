import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// Goal: a test URL works for a product that is not available yet (M109), and for nothing that is gone or sold
/// elsewhere.
@Suite struct TestPurchaseTests {
    struct Case: CustomTestStringConvertible {
        let change: [String: JSONValue]
        let isSold: Bool
        var testDescription: String { "\(change.keys.sorted())" }
    }

    static let cases = [
        Case(change: ["state": "readyToSubmit"], isSold: true),
        Case(change: ["state": "waitingForReview"], isSold: true),
        Case(change: ["state": "rejected"], isSold: true),
        Case(change: ["clearedForSale": false], isSold: true),
        Case(change: ["availableFrom": "2035-06-01T08:00:00Z"], isSold: true),
        Case(change: ["state": "removedFromSale"], isSold: false),
        Case(change: ["availability": ["FRA"]], isSold: false),
        Case(change: ["hostedContent": ["version": "1.0", "lengths": [10]]], isSold: false),
    ]

    @Test(arguments: cases)
    func `M109 what is not available yet is quoted for a test only`(_ item: Case) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(products: [
                    FileBuilder.product("a", type: "NonConsumable", item.change)
                ]))
            func quote(_ isTest: Bool?) throws -> Quote {
                try store.products.quote(
                    QuoteRequest(
                        bundleId: CatalogFixture.bundleId, productIdentifier: "a", storefront: "USA", isTest: isTest))
            }
            #expect(try quote(nil).availability == .notForSale)
            #expect(try quote(false).availability == .notForSale)
            #expect(try quote(true).availability == (item.isSold ? .available : .notForSale))
            #expect((try quote(true).product != nil) == item.isSold)
            #expect(try store.page() == [])
            // The purchase can be started all the same.
            let facts = try store.facts("a")
            #expect(facts.product.productIdentifier == "a")
            #expect(!facts.isPromoted && !facts.isAvailable)
        }
    }

    @Test func `M109 without agreements nothing is sold, and what does not exist is unknown`() async throws {
        try await withCatalog { store async throws in
            try await store.importProducts(["a"])
            try await store.deactivateAgreements()
            for (product, availability) in [("a", .notForSale), ("b", .unknown)] as [(String, Quote.Availability)] {
                let quote = try store.products.quote(
                    QuoteRequest(
                        bundleId: CatalogFixture.bundleId, productIdentifier: product, storefront: "USA", isTest: true))
                #expect(quote.availability == availability)
            }
        }
    }

    @Test func `M72 M75 M109 what starting a purchase needs to know is said of every product there is`() async throws {
        try await withCatalog { store async throws in
            let french = FileBuilder.product("a", ["prices": ["FRA": "2.29"]])
            try await store.importFile(FileBuilder.file(products: [french, FileBuilder.product("b")]))
            try await store.illustrate(["a", "b"])
            try await store.promote(["a", "b"], hidden: ["b"])
            let price = Money(minorUnits: 499, currency: try #require(Currency(code: "USD")))
            try await store.release(true, appPrice: price, since: "2.0")
            let facts = try store.facts("a", in: "FRA")
            #expect(facts.isPromoted && facts.isAvailable)
            #expect(facts.isHidden == nil)
            #expect(facts.product.price.amount == "2.29")
            #expect(facts.product.price.currency.code == "EUR")
            #expect(facts.appPrice == price)
            #expect((facts.currentVersion, facts.promotionsSupportedSince) == ("2.1", "2.0"))
            let hidden = try store.facts("b")
            #expect(hidden.isPromoted && hidden.isHidden == true)
            try await store.release(false)
            let early = try store.facts("a")
            #expect(!early.isPromoted && early.isAvailable)
            #expect(throws: StoreError.self) { try store.facts("a", in: "FRE") }
            #expect(try await refusal { try store.facts("x") }?.code == .productNotFound)
        }
    }
}
