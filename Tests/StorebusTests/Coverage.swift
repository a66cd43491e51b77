import StoreModels

/// Whether a document says what a text says: every word of the text must stand in the document, as a name, as a value,
/// or as a part of one, however instants and truth are written there.
struct Coverage {
    private let texts: [String]

    /// Words that are grammar, not facts.
    private static let grammar: Set<String> = [
        "-", "a", "times", "time", "free", "expires", "trial", "yes", "no", "of", "on", "device", "app", "key", "from",
        "transaction", "transactions", "deleted", "ready", "reset", "data", "not", "hidden", "1", "error",
        "purchase:", "set", "sent", "finished", "because", "secret", "notes", "imported", "products", "group", "offer",
        "then", "again", "until", "the", "finishes", "so", "it", "is", "bytes", "in", "place", "unfinished", "state",
        "→", "for", "to", "next", "event", "events", "as", "account", "outside", "by", "takes", "effect", "win-back",
        "purchases",
    ]

    init(_ document: JSONValue) {
        var texts: [String] = []
        Self.collect(document, into: &texts)
        self.texts = texts
    }

    private static func collect(_ value: JSONValue, into texts: inout [String]) {
        switch value {
        case .null: break
        case .bool(let value): texts.append(value ? "true yes" : "false no")
        case .number(let text): texts.append(text)
        case .string(let text): texts += [text, instant(text)]
        case .array(let values): values.forEach { collect($0, into: &texts) }
        case .object(let members):
            for (name, value) in members {
                texts.append(name)
                collect(value, into: &texts)
            }
        }
    }

    /// `2026-11-21T10:00:04.000Z` as tables write it.
    private static func instant(_ text: String) -> String {
        guard Timestamp(text) != nil, let dot = text.firstIndex(of: ".") else { return text }
        return String(text[..<dot]).split(separator: "T").joined(separator: " ") + "Z"
    }

    /// The words of the text that the document does not have. The header of a table and the names of facts are no
    /// facts.
    func missing(from text: String) -> [String] {
        let lines = Self.withoutColours(text).split(separator: "\n")
        let header = lines.firstIndex { $0 == $0.uppercased() && $0.contains { $0.isLetter } }
        return lines.enumerated().flatMap { index, line -> [String] in
            if index == header { return [] }
            let names = header.map { index > $0 ? 0 : 1 } ?? 1
            return line.split(separator: " ").dropFirst(names).map(String.init).filter { !has($0) }
        }
    }

    private func has(_ word: String) -> Bool {
        var word = word.drop { $0 == "(" }
        while let last = word.last, ",.;:)".contains(last) { word.removeLast() }
        if Self.grammar.contains(String(word)) { return true }
        // The clock of a line that was printed now is no fact of the store.
        if word.split(separator: ":").count == 3, word.allSatisfy({ $0.isNumber || ":Z".contains($0) }) { return true }
        return texts.contains { Self.contains($0.lowercased(), word.lowercased()) }
    }

    private static func contains(_ text: String, _ part: String) -> Bool {
        text.indices.contains { text[$0...].hasPrefix(part) }
    }

    static func withoutColours(_ text: String) -> String {
        var plain = ""
        var rest = text[...]
        while let escape = rest.firstIndex(of: "\u{1B}") {
            plain += rest[..<escape]
            rest = rest[escape...]
            guard let end = rest.firstIndex(of: "m") else { break }
            rest = rest[rest.index(after: end)...]
        }
        return plain + rest
    }
}
