/// A parsed locale identifier such as `fr_FR`, `zh-Hans` or `zh_Hant_TW`.
package struct LocaleName: Hashable, Sendable, CustomStringConvertible {
    /// The identifier as written, with underscores.
    package let description: String
    /// The language code of two or three lower-case letters.
    package let language: String
    /// The script, such as `hans` or `hant`. For Chinese it is also inferred from the region.
    package let script: String?

    /// Parses a locale. Nil unless it begins with a language code and has only letters and digits between separators.
    package init?(_ text: String) {
        // Keywords (`@currency=EUR`) do not affect the language.
        let name = String(text.prefix { $0 != "@" }).replacing("-", with: "_")
        let parts = name.lowercased().split(separator: "_", omittingEmptySubsequences: false).map(String.init)
        guard let language = parts.first, (2...3).contains(language.count),
            language.allSatisfy({ $0.isASCII && $0.isLetter }),
            parts.allSatisfy({
                !$0.isEmpty && $0.count <= 8 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            })
        else { return nil }
        self.description = name
        self.language = language
        self.script = parts.dropFirst().first { $0.count == 4 } ?? Self.inferredScript(language, parts.dropFirst())
    }

    private static func inferredScript(_ language: String, _ regions: ArraySlice<String>) -> String? {
        guard language == "zh" else { return nil }
        return regions.contains { ["tw", "hk", "mo"].contains($0) } ? "hant" : "hans"
    }

    /// Returns how well a text in this locale matches another locale: 3 for the same locale, 2 for the same language
    /// and script, 1 for the same language, 0 for no match.
    package func closeness(to wanted: LocaleName) -> Int {
        if description.lowercased() == wanted.description.lowercased() { return 3 }
        guard language == wanted.language else { return 0 }
        return script == wanted.script ? 2 : 1
    }
}
