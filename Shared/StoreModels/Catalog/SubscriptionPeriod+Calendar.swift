extension SubscriptionPeriod {
    /// The end of a period that begins at `start`. The calendar is the proleptic Gregorian one, in UTC. A month ends on
    /// the same day of the next month, or on its last day if that month is shorter (31 January → 28 February).
    ///
    /// It does not use `Calendar`, which needs the full Foundation and a time zone database.
    public func end(from start: Timestamp) -> Timestamp {
        let day: Int64 = 86_400_000
        switch unit {
        case .day: return Timestamp(milliseconds: start.milliseconds + Int64(numberOfUnits) * day)
        case .week: return Timestamp(milliseconds: start.milliseconds + Int64(numberOfUnits) * 7 * day)
        case .month: return Self.adding(months: numberOfUnits, to: start)
        case .year: return Self.adding(months: numberOfUnits * 12, to: start)
        }
    }

    private static func adding(months: Int, to start: Timestamp) -> Timestamp {
        let millisecondsADay: Int64 = 86_400_000
        let days = Int(start.milliseconds.floorDivided(by: millisecondsADay))
        let rest = start.milliseconds - Int64(days) * millisecondsADay
        let from = CivilDate(daysSince1970: days)
        let month = from.year * 12 + (from.month - 1) + months
        let (year, monthIndex) = (month.floorDivided(by: 12), month - month.floorDivided(by: 12) * 12)
        let target = CivilDate(
            year: year, month: monthIndex + 1,
            day: min(from.day, CivilDate.daysInMonth(monthIndex + 1, ofYear: year)))
        return Timestamp(milliseconds: Int64(target.daysSince1970) * millisecondsADay + rest)
    }
}
