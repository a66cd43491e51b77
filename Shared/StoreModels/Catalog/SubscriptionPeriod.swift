/// A length of time in calendar units, as `SKProductSubscriptionPeriod`: `{"numberOfUnits":1,"unit":"month"}`.
public struct SubscriptionPeriod: Hashable, Sendable, Codable, CustomStringConvertible {
    /// `SKProduct.PeriodUnit`. StoreKit's raw values are 0 to 3 in this order.
    public enum Unit: String, CaseIterable, Sendable, Codable { case day, week, month, year }

    /// 1 or more.
    public var numberOfUnits: Int
    /// A calendar unit: a month is as long as the calendar says.
    public var unit: Unit
}

extension SubscriptionPeriod {
    /// Reads an ISO 8601 duration of one unit, `P1W`, `P3M`, as in `.storekit` files.
    /// - Returns: Nil for any other text and for a count outside 1…999.
    public init?(iso8601 text: String) {
        guard text.hasPrefix("P"), let letter = text.last, let count = Int(text.dropFirst().dropLast()),
            (1...999).contains(count), !text.contains("+")
        else { return nil }
        switch letter {
        case "D": self.init(numberOfUnits: count, unit: .day)
        case "W": self.init(numberOfUnits: count, unit: .week)
        case "M": self.init(numberOfUnits: count, unit: .month)
        case "Y": self.init(numberOfUnits: count, unit: .year)
        default: return nil
        }
    }

    /// `P1M`
    public var iso8601: String {
        let letter =
            switch unit {
            case .day: "D"
            case .week: "W"
            case .month: "M"
            case .year: "Y"
            }
        return "P\(numberOfUnits)\(letter)"
    }

    /// In English, for tables and logs: `1 month`, `3 days`.
    public var description: String { "\(numberOfUnits) \(unit.rawValue)\(numberOfUnits == 1 ? "" : "s")" }

    /// `numberOfPeriods` of these in a row.
    public func times(_ numberOfPeriods: Int) -> SubscriptionPeriod {
        SubscriptionPeriod(numberOfUnits: numberOfUnits * numberOfPeriods, unit: unit)
    }

    /// Tells whether two periods have the same length: twelve months are a year, and seven days a week.
    package func isAsLong(as other: SubscriptionPeriod) -> Bool { normal == other.normal }

    private var normal: SubscriptionPeriod {
        switch unit {
        case .day, .month: self
        case .week: SubscriptionPeriod(numberOfUnits: numberOfUnits * 7, unit: .day)
        case .year: SubscriptionPeriod(numberOfUnits: numberOfUnits * 12, unit: .month)
        }
    }
}
