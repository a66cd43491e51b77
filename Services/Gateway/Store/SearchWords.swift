import Foundation
import StoreModels

/// The words of a search in the store. A product is found when each of them stands somewhere in its texts, in whatever
/// case and with or without its accents.
struct SearchWords: Sendable {
    /// Characters of a whole search; more is 400.
    static let lengthMax = 200

    private let words: [String]

    /// - Parameter text: As the query has it.
    /// - Throws: `requestInvalid` for nothing at all and for too much.
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

    /// Without a locale: what is found must not depend on where the gateway runs.
    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
