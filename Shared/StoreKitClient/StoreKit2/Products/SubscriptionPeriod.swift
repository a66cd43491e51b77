internal import StoreModels

/// The length of a subscription's period.
public typealias SubscriptionPeriod = Product.SubscriptionPeriod

extension Product {
    /// A length of time in units of the calendar.
    public struct SubscriptionPeriod: Hashable, Sendable, CustomDebugStringConvertible {
        /// A unit of the calendar.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive(warn)
        #endif
        public enum Unit: Hashable, Sendable, Comparable, CustomDebugStringConvertible {
            case day, week, month, year

            /// The unit's name in English.
            public var debugDescription: String { localizedDescription }
            /// The unit's name in English.
            public var localizedDescription: String {
                switch self {
                case .day: "day"
                case .week: "week"
                case .month: "month"
                case .year: "year"
                }
            }

            /// Formats the unit.
            public func formatted<Style: Foundation.FormatStyle>(_ format: Style) -> Style.FormatOutput
            where Style.FormatInput == Unit { format.format(self) }

            /// The format of a unit's name. English: Foundation on Linux has no names of units in other languages.
            public struct FormatStyle: Foundation.FormatStyle, Sendable {
                private var language: Locale

                init(_ locale: Locale) { language = locale }

                /// The name of one unit, such as "month".
                public func format(_ value: Unit) -> String { value.localizedDescription }

                /// The same format for another language.
                public func locale(_ locale: Locale) -> Self { Self(locale) }
            }
        }

        /// The format of a period's length, such as "3 months". English, as that of units.
        ///
        /// StoreKit has `Date.ComponentsFormatStyle` here, which formats nothing on Linux.
        public struct FormatStyle: Foundation.FormatStyle, Sendable {
            /// How long the names of units are.
            public enum Style: Codable, Hashable, Sendable {
                case wide, abbreviated, condensedAbbreviated, narrow, spellOut
            }

            /// How long the names of units are: all but `narrow` and `condensedAbbreviated` write them out.
            public var style = Style.wide
            /// The language, without effect.
            public var locale: Locale
            /// The calendar by which the length is counted.
            public var calendar = Calendar.autoupdatingCurrent

            init(_ locale: Locale) { self.locale = locale }

            /// The length of time between two dates.
            public func format(_ value: Range<Date>) -> String {
                let parts = calendar.dateComponents(
                    [.year, .month, .day], from: value.lowerBound, to: value.upperBound)
                let days = parts.day ?? 0
                let isWeeks = days > 0 && days % 7 == 0
                let counts: [(Int, Unit)] = [
                    (parts.year ?? 0, .year), (parts.month ?? 0, .month),
                    (isWeeks ? days / 7 : days, isWeeks ? .week : .day),
                ]
                return counts.filter { $0.0 > 0 }.map { text($0, $1) }.joined(separator: ", ")
            }

            private func text(_ count: Int, _ unit: Unit) -> String {
                switch style {
                case .narrow, .condensedAbbreviated: "\(count)\(unit.localizedDescription.prefix(1))"
                case .wide, .abbreviated, .spellOut: "\(count) \(unit)\(count == 1 ? "" : "s")"
                }
            }

            /// The same format for another language.
            public func locale(_ locale: Locale) -> Self {
                var style = self
                style.locale = locale
                return style
            }
        }

        /// The unit.
        public let unit: Unit
        /// The number of units.
        public let value: Int

        init(_ unit: Unit, _ value: Int) { (self.unit, self.value) = (unit, value) }

        init(_ model: StoreModels.SubscriptionPeriod) {
            value = model.numberOfUnits
            unit =
                switch model.unit {
                case .day: .day
                case .week: .week
                case .month: .month
                case .year: .year
                }
        }

        /// A week.
        public static var weekly: SubscriptionPeriod { SubscriptionPeriod(.week, 1) }
        /// A month.
        public static var monthly: SubscriptionPeriod { SubscriptionPeriod(.month, 1) }
        /// A year.
        public static var yearly: SubscriptionPeriod { SubscriptionPeriod(.year, 1) }
        /// Three days.
        public static var everyThreeDays: SubscriptionPeriod { SubscriptionPeriod(.day, 3) }
        /// Two weeks.
        public static var everyTwoWeeks: SubscriptionPeriod { SubscriptionPeriod(.week, 2) }
        /// Two months.
        public static var everyTwoMonths: SubscriptionPeriod { SubscriptionPeriod(.month, 2) }
        /// Three months.
        public static var everyThreeMonths: SubscriptionPeriod { SubscriptionPeriod(.month, 3) }
        /// Six months.
        public static var everySixMonths: SubscriptionPeriod { SubscriptionPeriod(.month, 6) }

        /// The dates of a period that begins at a date, in the calendar of the process.
        public func dateRange(referenceDate: Date = .now) -> Range<Date> {
            let end = Calendar.autoupdatingCurrent.date(
                byAdding: DateComponents(subscriptionPeriod: self), to: referenceDate)
            return referenceDate..<max(end ?? referenceDate, referenceDate)
        }

        /// Formats the period that begins at a date.
        public func formatted<Style: Foundation.FormatStyle>(
            _ format: Style, referenceDate: Date = .now
        ) -> Style.FormatOutput where Style.FormatInput == Range<Date> {
            format.format(dateRange(referenceDate: referenceDate))
        }

        /// Formats the length of the period that begins at a date.
        public func formatted<Style: Foundation.FormatStyle>(
            _ format: Style, referenceDate: Date = .now
        ) -> Style.FormatOutput where Style.FormatInput == Duration {
            let range = dateRange(referenceDate: referenceDate)
            return format.format(.seconds(range.upperBound.timeIntervalSince(range.lowerBound)))
        }

        /// The number and the unit.
        public var debugDescription: String { "\(value) \(unit)" }
    }
}

extension DateComponents {
    /// The components that add a subscription's period to a date.
    public init(subscriptionPeriod period: Product.SubscriptionPeriod) {
        self.init()
        switch period.unit {
        case .day: day = period.value
        // Not every calendar's arithmetic knows weeks without a year for them.
        case .week: day = period.value * 7
        case .month: month = period.value
        case .year: year = period.value
        }
    }
}
