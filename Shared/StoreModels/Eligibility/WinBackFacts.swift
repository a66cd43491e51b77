/// The data about a customer and a group for win-back offers. PaymentQueue fills it.
public struct WinBackFacts: Hashable, Sendable {
    /// The group's history, or nil if the customer has none.
    public var history: SubscriptionGroupHistory?
    /// The months paid for in the whole group. They are ``months(of:)`` over the periods that cost something and were
    /// not refunded.
    public var paidMonths: Int
    /// The end of the last access to the group, grace included.
    public var expiredAt: Timestamp?
    /// The last purchase of a win-back offer of the group.
    public var lastWinBackAt: Timestamp?

    /// Whole months in `periods` together, by their nominal lengths. A month is 30 days and a year twelve of them, so
    /// that February is as long as March, and a tester's short periods count with their nominal lengths.
    public static func months(of periods: some Sequence<SubscriptionPeriod>) -> Int {
        let days = periods.reduce(0) { days, period in
            switch period.unit {
            case .day: days + period.numberOfUnits
            case .week: days + 7 * period.numberOfUnits
            case .month: days + 30 * period.numberOfUnits
            case .year: days + 360 * period.numberOfUnits
            }
        }
        return days / 30
    }
}
