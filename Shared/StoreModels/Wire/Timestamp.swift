#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An instant in whole milliseconds since 1970, UTC.
///
/// On the wire: ISO 8601 with milliseconds and `Z`, `"2026-11-21T10:00:00.004Z"`. Read with or without a fraction.
///
/// Every value lies within the years 1 to 9999, also one that was made of a larger number. So the wire form always has four digits
/// for the year, and no difference or sum of instants overflows.
public struct Timestamp: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// The first millisecond of the year 1.
    public static let earliest = Timestamp(milliseconds: millisecondsRange.lowerBound)
    /// The last millisecond of the year 9999.
    public static let latest = Timestamp(milliseconds: millisecondsRange.upperBound)
    private static let millisecondsRange: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

    /// Creates an instant. Negative values lie before 1970.
    /// - Parameter milliseconds: A number beyond ``earliest`` or ``latest`` is that bound.
    public init(milliseconds: Int64) {
        self.milliseconds = min(
            max(milliseconds, Self.millisecondsRange.lowerBound), Self.millisecondsRange.upperBound)
    }

    /// Creates the nearest whole millisecond of a date.
    public init(_ date: Date) {
        let (least, most) = (Double(Self.millisecondsRange.lowerBound), Double(Self.millisecondsRange.upperBound))
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, least), most)))
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

    /// Reads the form that Storebus writes. Nearly all timestamps have it, and a formatter takes a hundred times as
    /// long.
    /// - Returns: Nil for any other form, and for a day or hour that does not exist.
    private static func milliseconds(ofWireForm text: String) -> Int64? {
        var text = text
        return text.withUTF8 { utf8 in
            guard utf8.count == 24, utf8[4] == UInt8(ascii: "-"), utf8[7] == UInt8(ascii: "-"),
                utf8[10] == UInt8(ascii: "T"), utf8[13] == UInt8(ascii: ":"), utf8[16] == UInt8(ascii: ":"),
                utf8[19] == UInt8(ascii: "."), utf8[23] == UInt8(ascii: "Z"),
                let year = number(utf8[0..<4]), let month = number(utf8[5..<7]), let day = number(utf8[8..<10]),
                let hour = number(utf8[11..<13]), let minute = number(utf8[14..<16]),
                let second = number(utf8[17..<19]), let millisecond = number(utf8[20..<23])
            else { return nil }
            // Before the calendar's reform other readers may count otherwise.
            guard year >= 1600, (1...12).contains(month),
                (1...CivilDate.daysInMonth(month, ofYear: year)).contains(day), hour < 24, minute < 60, second < 60
            else { return nil }
            let days = CivilDate(year: year, month: month, day: day).daysSince1970
            let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
            return Int64(seconds) * 1000 + Int64(millisecond)
        }
    }

    /// Reads digits.
    /// - Returns: Nil when there is any other character.
    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }

    /// The wire form. It is written from the integer: `Date` is floating point, and Foundation's formatter cuts `.004`
    /// to `.003`.
    public var description: String {
        let millisecondsADay: Int64 = 86_400_000
        let days = milliseconds.floorDivided(by: millisecondsADay)
        let day = CivilDate(daysSince1970: Int(days))
        let rest = Int(milliseconds - days * millisecondsADay)
        let year = String(day.year)
        return String(unsafeUninitializedCapacity: 24) { utf8 in
            var count = 0
            func append(_ byte: UInt8) {
                utf8[count] = byte
                count += 1
            }
            func field(_ separator: Unicode.Scalar, _ value: Int, digits: Int) {
                append(UInt8(ascii: separator))
                if digits == 3 { append(UInt8(ascii: "0") + UInt8(value / 100)) }
                append(UInt8(ascii: "0") + UInt8(value / 10 % 10))
                append(UInt8(ascii: "0") + UInt8(value % 10))
            }
            for _ in 0..<max(0, 4 - year.utf8.count) { append(UInt8(ascii: "0")) }
            for digit in year.utf8 { append(digit) }
            field("-", day.month, digits: 2)
            field("-", day.day, digits: 2)
            field("T", rest / 3_600_000, digits: 2)
            field(":", rest / 60_000 % 60, digits: 2)
            field(":", rest / 1_000 % 60, digits: 2)
            field(".", rest % 1_000, digits: 3)
            append(UInt8(ascii: "Z"))
            return count
        }
    }

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    private static let styleWithoutFraction = Date.ISO8601FormatStyle(includingFractionalSeconds: false)

    public static func < (left: Timestamp, right: Timestamp) -> Bool { left.milliseconds < right.milliseconds }

    public static func + (left: Timestamp, right: Duration) -> Timestamp {
        let (seconds, attoseconds) = right.components
        // A longer duration leads beyond the bounds from any instant.
        let bounded = min(max(seconds, -1_000_000_000_000), 1_000_000_000_000)
        return Timestamp(milliseconds: left.milliseconds + bounded * 1000 + attoseconds / 1_000_000_000_000_000)
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
