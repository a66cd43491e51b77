import Foundation
import StoreModels

/// The words of a search in the store. A product matches when its texts contain each of them, ignoring case and
/// accents.
struct SearchWords: Sendable {
    /// Maximum length of the search in characters. More is 400.
    static let lengthMax = 200

    private let words: [String]

    /// - Parameter text: The query's value. Nil when it is missing.
    /// - Throws: `requestInvalid` for an empty or too long search.
    init(_ text: String?) throws(StoreError) {
        guard let text else { throw .invalid("query q", "is missing") }
        try Identifier.check(text, at: "query q", lengthMax: Self.lengthMax)
        words = text.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
        guard !words.isEmpty else { throw .invalid("query q", "must not be empty") }
    }

    func match(_ texts: [String]) -> Bool {
        let folded = texts.map(Self.folded)
        return words.allSatisfy { word in folded.contains { $0.contains(word) } }
    }

    /// Folds case, accents and width, without a locale: results must not depend on the gateway's system.
    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
