import StoreModels

/// JSON as `storebus` prints it: one line, members sorted, no escaped slashes.
enum JSONText {
    static func line(_ value: JSONValue) -> String {
        // Encoding fails only for NaN and infinity, and every number here was read from JSON or is an Int.
        guard let bytes = try? StoreJSON.encode(value) else { return "null" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value on several lines, indented by two spaces.
    static func indented(_ value: JSONValue, by indent: String = "") -> String {
        let deeper = indent + "  "
        let (brackets, lines): (String, [String])
        switch value {
        case .object(let members) where !members.isEmpty:
            brackets = "{}"
            lines = members.sorted { $0.key < $1.key }.map { name, value in
                "\(line(.string(name))): \(indented(value, by: deeper))"
            }
        case .array(let values) where !values.isEmpty:
            brackets = "[]"
            lines = values.map { indented($0, by: deeper) }
        default: return line(value)
        }
        return "\(brackets.prefix(1))\n" + lines.map { deeper + $0 }.joined(separator: ",\n")
            + "\n\(indent)\(brackets.suffix(1))"
    }

    /// Converts a wire type to its JSON.
    static func value(_ encodable: some Encodable) -> JSONValue {
        guard let bytes = try? StoreJSON.encode(encodable), let value = try? StrictJSON.parse(bytes) else {
            return .null
        }
        return value
    }
}

extension JSONValue {
    /// Returns the object with more members. These replace equal names, and nil adds nothing.
    func with(_ members: [String: JSONValue?]) -> JSONValue {
        .object((objectValue ?? [:]).merging(members.compactMapValues(\.self)) { $1 })
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// `["account": "alice"]`. The last of equal names counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
