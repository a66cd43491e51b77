import StoreModels
import StorebusTesting
import Testing

@testable import Catalog

/// M5: the operator finds out why a product cannot be bought.
@Suite struct ExplainTests {
    /// What makes a reason apply, the reason, and what its sentence tells to do.
    private static let cases: [(change: [String: JSONValue], reason: ProductExplanation.Reason, remedy: String)] = [
        (["state": "inReview"], .notApproved, "Its state is inReview; set `state` to approved"),
        (["state": "developerRemovedFromSale"], .removedFromSale, "removed from sale (developerRemovedFromSale); set"),
        (["clearedForSale": false], .notClearedForSale, "set `clearedForSale` to true"),
        (["availability": ["USA"]], .storefrontUnavailable, "not sold in France; add FRA to its `availability`"),
        (
            ["hostedContent": ["version": "2.1", "lengths": [1]]], .hostedContentMissing,
            "version 2.1 of 1 bytes, is not in the store; upload it"
        ),
        (["availableFrom": "2099-01-01T00:00:00Z"], .notPropagated, "becomes available at 2099-01-01T00:00:00.000Z"),
    ]

    @Test func `M5 a product that can be bought has no reasons`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            let expected = ProductExplanation(
                productIdentifier: "a", storefront: "FRA", reasons: [], details: [],
                promotion: PromotionExplanation(reasons: [], details: []))
            #expect(try store.explain("a", in: "FRA") == expected)
            #expect(expected.available)
        }
    }

    @Test(arguments: cases.indices)
    func `M5 each condition has its reason and a remedy`(index: Int) async throws {
        let (change, reason, remedy) = Self.cases[index]
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a", change)]))
            let explanation = try store.explain("a", in: "FRA")
            #expect(explanation.reasons == [reason])
            #expect(!explanation.available)
            #expect(explanation.details.count == 1)
            #expect(explanation.details[0].contains(remedy), "\(explanation.details)")
        }
    }

    @Test func `M5 without agreements nothing can be bought`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            try await store.deactivateAgreements()
            #expect(try store.explain("a").reasons == [.agreementInactive])
            #expect(try store.explain("a").details[0].contains("set `agreementsActive` to true in the app's settings"))
            #expect(try store.explain("nobody").reasons == [.unknown, .agreementInactive])
        }
    }

    @Test func `M5 an identifier is unknown, or another app's`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(
                FileBuilder.file(products: [FileBuilder.product("com.example.Pro"), FileBuilder.product("b")]))
            try await store.importFile(
                FileBuilder.file(products: [FileBuilder.product("other")]), into: "com.example.other")
            #expect(try store.explain("x").reasons == [.unknown])
            #expect(try store.explain("x").details[0].contains("check the spelling"))
            #expect(try store.explain("pro").details[0].contains("did you mean 'com.example.Pro'?"))
            #expect(try store.explain("B").details[0].contains("did you mean 'b'?"))
            #expect(try store.explain("other").reasons == [.wrongBundle])
            #expect(try store.explain("other").details[0].hasPrefix("It belongs to com.example.other and not to"))
            let error = #expect(throws: StoreError.self) { try store.explain("b", of: "com.example.nobody") }
            #expect(error?.code == .notFound)
            let storefront = #expect(throws: StoreError.self) { try store.explain("b", in: "FRE") }
            #expect(storefront?.message == "$.storefront: 'FRE' is not a storefront; did you mean FRA?")
        }
    }

    @Test func `M5 all reasons that apply are named in their order, each with its sentence`() async throws {
        let change = Self.cases.filter { $0.reason != .removedFromSale }.reduce(into: [:]) {
            $0.merge($1.change) { $1 }
        }
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a", change)]))
            try await store.deactivateAgreements()
            let explanation = try store.explain("a", in: "FRA")
            #expect(
                explanation.reasons == [
                    .notApproved, .notClearedForSale, .agreementInactive, .storefrontUnavailable,
                    .hostedContentMissing, .notPropagated,
                ])
            #expect(explanation.details.count == explanation.reasons.count)
            #expect(Set(explanation.details).count == explanation.details.count)
        }
    }

    @Test func `M5 all nine reasons of the contract can be had`() {
        let product = Self.cases.map(\.reason)
        let all = product + [.unknown, .wrongBundle, .agreementInactive]
        #expect(Set(all) == Set(ProductExplanation.Reason.allCases))
    }

    @Test func `without a storefront it is the testers' own, else the United States`() async throws {
        try await withCatalog { store async throws in
            let product = FileBuilder.product("a", ["availability": ["JPN"]])
            try await store.importFile(FileBuilder.file(products: [product]))
            #expect(try store.explain("a", in: nil).storefront == "USA")
            #expect(try store.explain("a", in: nil).available == false)
            try await store.importFile(FileBuilder.file(products: [product], settings: ["_storefront": "JPN"]))
            #expect(try store.explain("a", in: nil).storefront == "JPN")
            #expect(try store.explain("a", in: nil).available)
        }
    }

    @Test func `M4 M5 a product is available exactly when a query returns it`() async throws {
        var random = SplitMix64.seeded()
        func condition() -> [String: JSONValue] {
            var change: [String: JSONValue] = [:]
            for item in Self.cases where Int.random(in: 0..<6, using: &random) == 0 {
                change.merge(item.change) { $1 }
            }
            return change
        }
        try await withCatalog { store async throws in
            for round in 0..<20 {
                let products = (0..<30).map { FileBuilder.product("p\($0)", condition()) }
                try await store.importFile(FileBuilder.file(products: products))
                let agreements = round % 5 != 0
                try await store.deactivateAgreements(!agreements)
                for storefront in ["USA", "FRA", "JPN"] {
                    let asked = (0..<32).map { "p\($0)" }
                    let reply = try store.query(asked, in: storefront)
                    let explained = try asked.filter { try store.explain($0, in: storefront).available }
                    #expect(reply.products.map(\.productIdentifier) == explained)
                    #expect(try store.allProducts(in: storefront).map(\.productIdentifier) == explained)
                    for identifier in asked {
                        let quote = try store.quote(identifier, in: storefront)
                        #expect((quote.availability == .available) == explained.contains(identifier))
                    }
                }
            }
        }
    }
}
