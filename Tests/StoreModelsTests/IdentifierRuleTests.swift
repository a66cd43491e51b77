import StoreModels
import Testing

/// Goal: the rule of `docs/identifiers.md`, a row of its table at a time.
@Suite struct IdentifierRuleTests {
    private func allows(_ rule: IdentifierRule, _ text: String) -> Bool { rule.fault(in: text) == nil }

    @Test(arguments: [
        (IdentifierRule.account, 128), (.device, 255), (.bundle, 155), (.product, 255), (.catalogued, 100),
    ])
    func `lengths are counted in Unicode scalars`(_ rule: IdentifierRule, _ most: Int) {
        #expect(rule.lengthMax == most)
        #expect(!allows(rule, ""))
        #expect(allows(rule, "a"))
        #expect(allows(rule, String(repeating: "a", count: most)))
        #expect(!allows(rule, String(repeating: "a", count: most + 1)))
        guard rule != .bundle else { return }
        #expect(allows(rule, String(repeating: "\u{1F600}", count: most)), "four bytes each")
        // One character of many scalars, and no shorter for it.
        #expect(!allows(rule, "e" + String(repeating: "\u{301}", count: most)))
    }

    @Test(arguments: ["a\u{0}", "a\u{1F}b", "a\r\nb", "\u{7F}", "\u{85}", "\u{9F}"])
    func `control characters are in none`(_ text: String) {
        for rule in IdentifierRule.allCases { #expect(!allows(rule, text)) }
    }

    @Test(arguments: [
        " a b ", "caf\u{E9}", "cafe\u{301}", "*", ">", "a.>", "_INBOX.1", "../..", "'; DROP TABLE x", "\u{1F600}",
        "ALICE",
        "\u{FF21}", "\u{212A}", "\u{200B}", "\u{FEFF}x",
    ])
    func `anything else is only a name, but a bundle's is ASCII`(_ text: String) {
        for rule in IdentifierRule.allCases { #expect(allows(rule, text) == (rule != .bundle || text == "ALICE")) }
    }

    @Test func `case counts, and a bundle's letters are ASCII ones`() {
        #expect(allows(.bundle, "com.Example.app-2"))
        #expect(!allows(.bundle, "com.example.\u{212A}"))
        #expect(!allows(.bundle, "com.example.app_1"))
        #expect(!"Alice".isExactly("alice"))
    }
}
