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

    /// Creates an instant; negative values lie before 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Creates the nearest whole millisecond of a date.
    public init(_ date: Date) {
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    /// The wall clock. Business rules never call this: they get `now` as a parameter (PaymentQueue's business clock).
    public static func wallClock() -> Timestamp { Timestamp(Date()) }

    /// The same instant as Foundation's floating point date.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// Reads the wire form.
    /// - Returns: Nil unless `text` is ISO 8601 in UTC.
    public init?(_ text: String) {
        if let milliseconds = Self.milliseconds(ofWireForm: text) {
            self.init(milliseconds: milliseconds)
            return
        }
        guard
            let date = (try? Date(text, strategy: Self.style)) ?? (try? Date(text, strategy: Self.styleWithoutFraction))
        else { return nil }
        self.init(date)
    }

    /// Reads the form that Storebus writes. It is nearly all that is read, and a formatter takes a hundred times as
    /// long.
    /// - Returns: Nil for any other form, and for a day or hour that does not exist.
    private static func milliseconds(ofWireForm text: String) -> Int64? {
        var text = text
        return text.withUTF8 { utf8 in
            let separators = "    -  -  T  :  :  .   Z".utf8
            guard utf8.count == separators.count else { return nil }
            var fields = [0]
            for (byte, separator) in zip(utf8, separators) {
                if separator == UInt8(ascii: " ") {
                    guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                    fields[fields.count - 1] = fields[fields.count - 1] * 10 + Int(byte - UInt8(ascii: "0"))
                } else {
                    guard byte == separator else { return nil }
                    fields.append(0)
                }
            }
            // Before the calendar's reform other readers may count otherwise.
            guard fields[0] >= 1600, (1...12).contains(fields[1]),
                (1...CivilDate.daysInMonth(fields[1], ofYear: fields[0])).contains(fields[2]), fields[3] < 24,
                fields[4] < 60, fields[5] < 60
            else { return nil }
            let days = CivilDate(year: fields[0], month: fields[1], day: fields[2]).daysSince1970
            let seconds = ((days * 24 + fields[3]) * 60 + fields[4]) * 60 + fields[5]
            return Int64(seconds) * 1000 + Int64(fields[6])
        }
    }

    /// The wire form. It is written from the integer: `Date` is floating point, and Foundation's formatter cuts `.004`
    /// to `.003`.
    public var description: String {
        let millisecondsADay: Int64 = 86_400_000
        let days = milliseconds.floorDivided(by: millisecondsADay)
        let day = CivilDate(daysSince1970: Int(days))
        let rest = Int(milliseconds - days * millisecondsADay)
        var text = ""
        text.reserveCapacity(24)
        func field(_ value: Int, digits count: Int, _ separator: Character) {
            let digits = String(value)
            for _ in 0..<max(0, count - digits.utf8.count) { text.append("0") }
            text.append(digits)
            text.append(separator)
        }
        field(day.year, digits: 4, "-")
        field(day.month, digits: 2, "-")
        field(day.day, digits: 2, "T")
        field(rest / 3_600_000, digits: 2, ":")
        field(rest / 60_000 % 60, digits: 2, ":")
        field(rest / 1_000 % 60, digits: 2, ".")
        field(rest % 1_000, digits: 3, "Z")
        return text
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let styleWithoutFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: false)

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        let (seconds, attoseconds) = right.components
        return Timestamp(milliseconds: left.milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    /// Reads the wire form.
    /// - Throws: `DecodingError` for anything but ISO 8601 in UTC.
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
