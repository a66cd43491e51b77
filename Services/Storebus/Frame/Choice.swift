import ArgumentParser

/// An option whose value is one of a few words.
enum Choice {
    /// - Throws: a sentence for the parser with all words, and the one that was perhaps meant.
    static func check(_ flag: String, _ word: String?, among words: [String]) throws {
        guard let word, !words.contains(word) else { return }
        throw ValidationError(
            "\(flag) is one of \(words.joined(separator: ", "))\(Suggestion.ending(for: word, among: words))")
    }
}
