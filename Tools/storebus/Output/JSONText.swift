import StoreModels

/// JSON as `storebus` prints it: one line, members sorted, no escaped slashes.
enum JSONText {
    static func line(_ value: JSONValue) -> String {
        // Encoding fails only for NaN and infinity, and every number here was read from JSON or is an Int.
        guard let bytes = try? StoreJSON.encode(value) else { return "null" }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Converts a wire type to its JSON.
    static func value(_ encodable: some Encodable) -> JSONValue {
        guard let bytes = try? StoreJSON.encode(encodable), let value = try? StrictJSON.parse(bytes) else {
            return .null
        }
        return value
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// `["account": "alice"]`; of equal names the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
    }
}
