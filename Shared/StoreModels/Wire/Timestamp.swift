#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An instant in whole milliseconds since 1970, UTC.
///
/// On the wire: ISO 8601 with milliseconds and `Z`, `"2026-11-21T10:00:00.004Z"`. Read with or without a fraction.
public struct Timestamp: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public init(_ date: Date) {
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    /// The wall clock. Business rules never call this: they are handed `now` (see `PaymentQueue`'s business clock).
    public static func wallClock() -> Timestamp { Timestamp(Date()) }

    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Reads the wire form.
    /// - Returns: nil unless `text` is ISO 8601 in UTC.
    public init?(_ text: String) {
        guard
            let date = (try? Date(text, strategy: Self.style)) ?? (try? Date(text, strategy: Self.styleWithoutFraction))
        else { return nil }
        self.init(date)
    }

    /// Written from the integer: `Date` is floating point, and Foundation's formatter cuts `.004` to `.003`.
    public var description: String {
        let millisecondsADay: Int64 = 86_400_000
        let days = milliseconds.floorDivided(by: millisecondsADay)
        let day = CivilDate(daysSince1970: Int(days))
        let rest = Int(milliseconds - days * millisecondsADay)
        let fields = [
            (day.year, 4), (day.month, 2), (day.day, 2), (rest / 3_600_000, 2), (rest / 60_000 % 60, 2),
            (rest / 1_000 % 60, 2), (rest % 1_000, 3),
        ]
        return zip(fields, ["-", "-", "T", ":", ":", ".", "Z"]).reduce(into: "") { text, part in
            let digits = String(part.0.0)
            text += String(repeating: "0", count: max(0, part.0.1 - digits.utf8.count)) + digits + part.1
        }
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let styleWithoutFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: false)

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        let (seconds, attoseconds) = right.components
        return Timestamp(milliseconds: left.milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let value = Timestamp(text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "'\(text)' is not an ISO 8601 instant"))
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
