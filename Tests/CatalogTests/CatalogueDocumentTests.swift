import Foundation
import StoreModels
import Testing

@testable import Catalog

/// `docs/catalogue.md` says what the importer does.
@Suite struct CatalogueDocumentTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    /// The bodies of the page's ```json blocks.
    private func blocks() throws -> [String] {
        try text("docs/catalogue.md").components(separatedBy: "```json\n").dropFirst().map {
            $0.components(separatedBy: "```")[0]
        }
    }

    @Test func `the example is the sample file, and sells as the page says`() async throws {
        let sample = try text("Tests/Samples/catalogue/Guide.json")
        #expect(try blocks().first == sample)
        try await withCatalog { store async throws in
            let report = try await store.importFile(Array(sample.utf8), named: "Guide.json")
            #expect(report.productCount == 5)
            #expect(report.settingsApplied == ["_billingGracePeriodEnabled", "_storefront"])
            #expect(
                try store.allProducts(in: "FRA").map(\.localizedTitle) == ["Carte", "The coast", "Guide Plus, monthly"])
            #expect(
                try store.allProducts(in: "CHN").map(\.productIdentifier).contains("com.example.guide.coast") == false)
            let prices = try ["USA", "FRA", "GBR", "JPN", "BRA"].map {
                try store.product("com.example.guide.map", in: $0)?.price.amount
            }
            #expect(prices == ["0.99", "1.19", "0.99", "160", "4.90"])
            #expect(
                try store.explain("com.example.guide.alps", in: "USA").reasons == [
                    .storefrontUnavailable, .notPropagated,
                ])
            #expect(
                try store.explain("com.example.guide.islands", in: nil).reasons
                    == [.notApproved, .notClearedForSale, .hostedContentMissing])
        }
    }

    @Test func `the members the page shows are taken as they stand`() throws {
        let members = try blocks().dropFirst().map { try StrictJSON.parse(Array($0.utf8)) }
        for value in members where value["billingPlans"] != nil {
            let more = try #require(value.objectValue)
            let file = FileBuilder.file(subscriptions: [FileBuilder.subscription("a", period: "P1Y", more)])
            let read = try StoreKitFileReader.read(try StoreJSON.encode(file), fileName: "Doc.json")
            #expect(read.catalog.products[0].subscription?.monthlyPrices?.base.text == "4.99")
            #expect(!read.notes.contains { $0.contains("billingPlans") })
        }
        for value in members where value["problems"] == nil && value["billingPlans"] == nil {
            let product = FileBuilder.product("a", try #require(value.objectValue))
            let file = try StoreJSON.encode(FileBuilder.file(products: [product]))
            let read = try StoreKitFileReader.read(file, fileName: "Doc.json").catalog.products[0]
            #expect(read.conditions != .standard || !read.prices.own.isEmpty, "\(value)")
        }
        #expect(members.count == 6)
    }

    @Test func `the refusal the page shows is the importer's`() throws {
        let shown = try #require(try blocks().last.map { try StrictJSON.parse(Array($0.utf8)) })
        let products = [
            FileBuilder.product("a", ["prices": ["FR": "1"]]), FileBuilder.product("b", ["state": "sold"]),
            FileBuilder.product("c", ["prices": ["JPN": "1.5"]]),
        ]
        let error = #expect(throws: StoreError.self) {
            try StoreKitFileReader.read(
                try StoreJSON.encode(FileBuilder.file(products: products)), fileName: "Bad.json")
        }
        #expect(error?.details["problemCount"] == shown["problemCount"])
        for member in ["path", "reason"] {
            let told = error?.details["problems"]?.arrayValue?.map { $0[member] }
            #expect(told == shown["problems"]?.arrayValue?.map { $0[member] })
        }
    }

    @Test func `every state and every reason is on the page`() throws {
        let page = try text("docs/catalogue.md")
        for word in ProductState.allCases.map(\.rawValue) + ProductExplanation.Reason.allCases.map(\.rawValue) {
            #expect(page.contains("`\(word)`"), "\(word)")
        }
    }
}
