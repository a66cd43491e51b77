/// A length of business time as people write it: `90s`, `36h`, `2w`, `3mo`, `1y`. Several may follow each other
/// (`1mo15d`). ISO 8601 durations are read too: `P3M`, `PT36H`, `P1Y2M3DT4H5M6S`.
///
/// Months and years are calendar units and are added first, then the rest.
public struct BusinessDuration: Hashable, Sendable {
    /// 100 years, more than any test needs. The bound keeps every instant within four-digit years.
    public static let monthsMax = 1_200
    /// 100 years for the rest, in milliseconds.
    public static let millisecondsMax: Int64 = 36_525 * 86_400_000

    /// Calendar months, 0…``monthsMax``. A year counts twelve.
    public var months: Int = 0
    /// Everything below a month, 0…``millisecondsMax``. A day has 24 hours.
    public var milliseconds: Int64 = 0
}

extension BusinessDuration {
    /// Reads a duration.
    ///
    /// - Returns: Nil for an empty text, any other text, and more than 100 years.
    public init?(_ text: String) {
        let isISO = text.hasPrefix("P")
        guard let parts = isISO ? Self.isoParts(text.dropFirst()) : Self.plainParts(text[...]), !parts.isEmpty else {
            return nil
        }
        self.init()
        for (count, unit) in parts {
            switch unit {
            case .month: months += count
            case .year: months += 12 * count
            case .milliseconds(let each):
                let (product, overflows) = Int64(count).multipliedReportingOverflow(by: each)
                guard !overflows, product <= Self.millisecondsMax else { return nil }
                milliseconds += product
            }
            guard months <= Self.monthsMax, milliseconds <= Self.millisecondsMax else { return nil }
        }
        guard months > 0 || milliseconds > 0 else { return nil }
    }

    /// The instant this much later.
    public func end(from start: Timestamp) -> Timestamp {
        let later =
            months == 0 ? start : SubscriptionPeriod(numberOfUnits: months, unit: .month).end(from: start)
        return Timestamp(milliseconds: later.milliseconds + milliseconds)
    }

    private enum Unit { case month, year, milliseconds(Int64) }

    private static let second: Int64 = 1_000
    private static let day: Int64 = 86_400_000

    private static func plainParts(_ text: Substring) -> [(Int, Unit)]? {
        let units: [String: Unit] = [
            "s": .milliseconds(second), "m": .milliseconds(60 * second), "min": .milliseconds(60 * second),
            "h": .milliseconds(3_600 * second), "d": .milliseconds(day), "w": .milliseconds(7 * day), "mo": .month,
            "y": .year,
        ]
        return parts(text) { units[$0] }
    }

    private static func isoParts(_ text: Substring) -> [(Int, Unit)]? {
        let halves = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        let dates: [String: Unit] = ["Y": .year, "M": .month, "W": .milliseconds(7 * day), "D": .milliseconds(day)]
        let times: [String: Unit] = [
            "H": .milliseconds(3_600 * second), "M": .milliseconds(60 * second), "S": .milliseconds(second),
        ]
        guard let first = halves.first, let before = parts(first, { dates[$0] }) else { return nil }
        guard halves.count == 2 else { return before }
        guard let after = parts(halves[1], { times[$0] }), !after.isEmpty else { return nil }
        return before + after
    }

    /// `12h30m` is (12, h), (30, m).
    private static func parts(_ text: Substring, _ unit: (String) -> Unit?) -> [(Int, Unit)]? {
        var rest = text
        var parts: [(Int, Unit)] = []
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let name = rest.prefix { !($0.isASCII && $0.isNumber) }
            rest = rest.dropFirst(name.count)
            guard digits.count <= 9, let count = Int(digits), let found = unit(String(name)) else { return nil }
            parts.append((count, found))
        }
        return parts
    }
}
