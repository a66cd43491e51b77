#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON of the monitoring pages: nats-server's names in snake case, times as RFC 3339.
enum MonitorJSON {
    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // The pages hold numbers, text and dates only; there is nothing that cannot be encoded.
        return (try? encoder.encode(value)).map(Array.init) ?? Array("{}".utf8)
    }

    /// A date from milliseconds since 1970.
    static func date(_ milliseconds: Int) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
