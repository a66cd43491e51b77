import StoreModels
import Testing

/// Goal: identifiers equal, sort and are keys by their bytes, on the wire too.
@Suite struct ExactTextTests {
    /// Pairs that Unicode calls equal.
    private static let pairs = [
        ("caf\u{E9}", "cafe\u{301}"), ("com.example.K", "com.example.\u{212A}"), ("\u{C5}", "\u{212B}"),
        ("\u{1100}\u{1161}", "\u{AC00}"),
    ]

    @Test(arguments: pairs) func `what Unicode calls equal are two`(_ pair: (String, String)) {
        #expect(pair.0 == pair.1, "the pair is one to Unicode")
        #expect(ExactText(pair.0) != ExactText(pair.1))
        #expect(!pair.0.isExactly(pair.1))
        #expect(pair.0.isExactly(pair.0))
        #expect(Set(exactly: [pair.0, pair.1, pair.0]).count == 2)
        #expect(![pair.0].containsExactly(pair.1))
        #expect(Dictionary(exactly: [(pair.0, 1), (pair.1, 2), (pair.0, 3)])[pair.0] == 1)
    }

    @Test(arguments: pairs) func `values of the wire that are keys are two as well`(_ pair: (String, String)) throws {
        func two(_ values: [some Hashable & Codable & Sendable]) throws {
            #expect(Set(values).count == 2)
            let read = try values.map { try StoreJSON.decode(type(of: $0), from: try StoreJSON.encode($0)) }
            #expect(read == values)
        }
        let (one, other) = pair
        try two([one, other].map { QuoteRequest(bundleId: "a", productIdentifier: $0, storefront: "USA") })
        try two([one, other].map { ProductReference(bundleId: "a", productIdentifier: $0) })
        try two([one, other].map { InstallationReference(bundleId: "a", deviceId: $0) })
        try two([one, other].map { CustomerReference(bundleId: "a", customerIdentifier: $0) })
        try two([one, other].map { PromotionEntry(productIdentifier: $0, visible: true) })
        let overrides = PromotionOverrides(
            order: [one, other], visibility: [ExactText(one): .show, ExactText(other): .hide])
        let read = try StoreJSON.decode(PromotionOverrides.self, from: try StoreJSON.encode(overrides))
        #expect(read.visibility(of: one) == .show)
        #expect(read.visibility(of: other) == .hide)
        let arrangement = PromotionArrangement(promoted: [one, other], hidden: [other])
        #expect(arrangement.shown().map { ExactText($0) } == [ExactText(one)])
    }

    @Test func `on the wire it is a text, and a dictionary's keys are an object's members`() throws {
        let encoded = try StoreJSON.encode(QuoteRequest(bundleId: "a", productIdentifier: "b", storefront: "USA"))
        let text = String(decoding: encoded, as: UTF8.self)
        #expect(text == #"{"bundleId":"a","productIdentifier":"b","storefront":"USA"}"#)
        let overrides = try StoreJSON.encode(PromotionOverrides(visibility: ["b": .hide]))
        #expect(String(decoding: overrides, as: UTF8.self) == #"{"order":[],"visibility":{"b":"hide"}}"#)
    }

    @Test func `they sort by their bytes, as databases do`() {
        let sorted = ["b", "\u{E9}", "e\u{301}", "a", "Z"].map { ExactText($0) }.sorted()
        #expect(sorted == ["Z", "a", "b", "e\u{301}", "\u{E9}"].map { ExactText($0) })
    }
}
