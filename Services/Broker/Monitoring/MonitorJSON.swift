import FoundationEssentials

/// The JSON of the monitoring pages: nats-server's names in snake case, times as RFC 3339.
enum MonitorJSON {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // The pages contain numbers, text and dates only, so encoding cannot fail.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }

    /// Reads a flat JSON object as a query. Any other body is an empty query.
    static func query(_ body: Span<UInt8>) -> [String: String] {
        guard !body.isEmpty else { return [:] }
        let bytes = body.withUnsafeBufferPointer(Array.init)
        let members = try? JSONDecoder().decode([String: QueryValue].self, from: Data(bytes))
        return members?.mapValues(\.text) ?? [:]
    }

    /// A member of a query: a text, a number, or a boolean as 1 or 0.
    private struct QueryValue: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let flag = try? value.decode(Bool.self) {
                text = flag ? "1" : "0"
            } else if let number = try? value.decode(Int.self) {
                text = "\(number)"
            } else {
                text = try value.decode(String.self)
            }
        }
    }

    /// Returns a date from milliseconds since 1970.
    static func date(_ milliseconds: Int) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
