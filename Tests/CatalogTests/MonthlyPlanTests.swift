import StoreModels
import Testing

@testable import Catalog

/// Goal: a year in monthly payments is read from the file, priced for each storefront, and not sold where Apple does
/// not.
@Suite struct MonthlyPlanTests {
    private func plan(
        _ price: String, commitment: String?, isEnabled: Bool = true, _ more: [String: JSONValue] = [:]
    ) -> JSONValue {
        var members: [String: JSONValue] = [
            "billingPlanType": "MONTHLY", "displayPrice": .string(price), "isEnabled": .bool(isEnabled),
        ]
        members["commitmentDisplayPrice"] = commitment.map { .string($0) }
        return .object(members.merging(more) { $1 })
    }

    private func file(_ plans: [JSONValue], period: String = "P1Y") -> JSONValue {
        FileBuilder.file(subscriptions: [
            FileBuilder.subscription("s", period: period, price: "49.99", ["billingPlans": .array(plans)])
        ])
    }

    private func read(_ file: JSONValue) throws -> StoreKitFileReader.Result {
        try StoreKitFileReader.read(try StoreJSON.encode(file), fileName: "App.storekit")
    }

    private func notes(_ plans: [JSONValue], period: String = "P1Y") throws -> [String] {
        try read(file(plans, period: period)).notes.filter { $0.contains("billingPlans") }
    }

    @Test func `a product has the terms of both plans in each storefront`() async throws {
        try await withCatalog { store async throws in
            let prices: JSONValue = ["JPN": "600", "FRA": "5.49"]
            let report = try await store.importFile(file([plan("4.99", commitment: "59.88", ["prices": prices])]))
            #expect(!report.notes.contains { $0.contains("billingPlans") })
            for (country, month, year, text) in [
                ("DEU", "4.99", "59.88", "59,88\u{A0}€"), ("FRA", "5.49", "65.88", "65,88\u{A0}€"),
                ("JPN", "600", "7200", "¥7,200"),
            ] {
                let product = try #require(try store.product("s", in: country))
                let terms = try #require(product.pricingTerms)
                #expect(terms.map(\.billingPlanType) == [.upFront, .monthly])
                #expect(terms[0].price == product.price && terms[0].commitmentPrice == product.price)
                #expect(terms[0].period.iso8601 == "P1Y" && terms[0].displayPrice == product.displayPrice)
                #expect(terms[1].price.amount == month && terms[1].period.iso8601 == "P1M")
                #expect(terms[1].commitmentPrice.amount == year && terms[1].commitmentPeriod.iso8601 == "P1Y")
                #expect(terms[1].commitmentDisplayPrice == text)
                #expect(try store.quote("s", in: country).product?.pricingTerms == terms)
            }
        }
    }

    @Test(arguments: ["USA", "SGP"])
    func `in the United States and Singapore no product is sold so`(_ country: String) async throws {
        try await withCatalog { store async throws in
            try await store.importFile(file([plan("4.99", commitment: "59.88")]))
            let product = try #require(try store.product("s", in: country))
            #expect(product.pricingTerms == nil && product.price.amount == "49.99")
        }
    }

    @Test func `another price of the commitment is named with the one that counts`() throws {
        let place = "$.subscriptionGroups[0].subscriptions[0].billingPlans[0]"
        #expect(
            try notes([plan("4.99", commitment: "49.99")]) == [
                "\(place).commitmentDisplayPrice is 49.99 and has no effect: "
                    + "the commitment costs twelve times its displayPrice 4.99, 59.88."
            ])
        for (month, year) in [("4.99", "59.880"), ("0.5", "6.00"), ("5", "60"), ("0.01", "0.12"), ("100.10", "1201.2")]
        {
            #expect(try notes([plan(month, commitment: year)]) == [])
        }
        #expect(try notes([plan("4.99", commitment: nil)]) == [])
    }

    @Test func `a plan that is off sells nothing, and of two the first counts`() throws {
        let off = try read(file([plan("4.99", commitment: "59.88", isEnabled: false)]))
        #expect(off.catalog.products.first?.subscription?.monthlyPrices == nil)
        let two = try read(file([plan("4.99", commitment: "59.88"), plan("5.99", commitment: "71.88")]))
        #expect(two.catalog.products.first?.subscription?.monthlyPrices?.base.text == "4.99")
        #expect(
            two.notes.contains { $0.contains("billingPlans[1] is kept and has no effect: one plan MONTHLY counts") })
    }

    @Test func `only a year is sold in monthly payments`() throws {
        for period in ["P1W", "P1M", "P6M"] {
            let read = try read(file([plan("4.99", commitment: "59.88")], period: period))
            #expect(read.catalog.products.first?.subscription?.monthlyPrices == nil)
            let named = read.notes.filter { $0.contains("billingPlans[0] is kept and has no effect") }
            #expect(named.count == 1 && named[0].contains("one year"))
        }
    }

    @Test func `a plan without a price is refused, as a product is`() throws {
        #expect(throws: (any Error).self) { try read(file([["billingPlanType": "MONTHLY"]])) }
        #expect(throws: (any Error).self) { try read(file([plan("4,99", commitment: nil)])) }
    }
}
