import StoreModels

/// Compares a result with the part of it that a step expects.
///
/// A mapping has these members, and a list these entries. `null` also means that the member is missing. A text without
/// quotation marks equals a number or a truth value that is written like it.
enum Expectation {
    /// Compares a result with what is expected.
    /// - Returns: The differences, each with its place. Empty if there are none.
    static func differences(
        _ expected: YAMLNode, _ value: JSONValue?, _ values: [ExactText: String], at place: [String] = []
    ) -> [String] {
        let name = place.isEmpty ? "the result" : place.joined(separator: ".")
        switch expected.content {
        case .scalar(let typed, let isPlain):
            let text = ScenarioText(typed)?.filled(values) ?? typed
            return isEqual(text, isPlain: isPlain, value) ? [] : ["\(name) is \(said(value)), and not \(text)"]
        case .list(let entries):
            guard let found = value?.arrayValue else { return ["\(name) is \(said(value)), and not a list"] }
            guard found.count == entries.count else {
                return ["\(name) is a list of \(found.count), and not of \(entries.count)"]
            }
            return zip(entries, found).enumerated().flatMap { index, pair in
                differences(pair.0, pair.1, values, at: place + ["\(index)"])
            }
        case .mapping(let members):
            guard let found = value?.objectValue else { return ["\(name) is \(said(value)), and not an object"] }
            return members.flatMap { member in
                differences(member.value, found[member.name], values, at: place + [member.name])
            }
        }
    }

    private static func isEqual(_ text: String, isPlain: Bool, _ value: JSONValue?) -> Bool {
        switch value {
        case .string(let found): found.isExactly(text)
        case .number(let found): isPlain && found == text
        case .bool(let found): isPlain && "\(found)" == text
        case .null, nil: isPlain && ["null", "~", ""].contains(text)
        default: false
        }
    }

    /// Finds the value at a place such as `transaction.transactionIdentifier` or `0.id`.
    static func value(_ value: JSONValue, at place: String) -> JSONValue? {
        place.split(separator: ".").reduce(value as JSONValue?) { value, name in
            if let entries = value?.arrayValue {
                return Int(name).flatMap { entries.indices.contains($0) ? entries[$0] : nil }
            }
            return value?[String(name)]
        }
    }

    private static func said(_ value: JSONValue?) -> String {
        guard let value else { return "missing" }
        let text = JSONText.line(value)
        return text.count > 200 ? String(text.prefix(200)) + "…" : text
    }
}
