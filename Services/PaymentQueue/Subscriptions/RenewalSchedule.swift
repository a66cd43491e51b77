import StoreModels

/// Computes when a subscription's periods end.
///
/// In real time they follow the calendar, counted from an anchor, so that a month's end stays a month's end (31
/// January, 28 February, 31 March). Under a tester's rate they have the lengths of StoreKit's sandbox instead. A rate
/// that has a column in Apple's table (a month in 30 s, 3, 5, 15, 30 or 60 minutes) gives each length its own time. The
/// others, which have no column, give every length the same. The names are our choice.
struct RenewalSchedule: Hashable, Sendable {
    /// The instant periods are counted from, and the present period's end in product lengths.
    struct Anchor: Hashable, Sendable {
        var at: Timestamp
        /// The number of the product's lengths from ``at`` to the present period's end.
        var count: Int
    }

    /// Maximum number of renewals under a rate. Then the subscription expires, as in Apple's sandbox.
    static let compressedRenewalsMax = 12

    let rate: SubscriptionRenewalRate

    init(_ rate: SubscriptionRenewalRate) { self.rate = rate }

    /// Computes the end of `count` consecutive periods that begin at `start`.
    func end(of period: SubscriptionPeriod, times count: Int = 1, from start: Timestamp) -> Timestamp {
        guard let length = milliseconds(of: period) else { return period.times(count).end(from: start) }
        return Timestamp(milliseconds: start.milliseconds + length * Int64(count))
    }

    /// Computes the latest start of a first period that has something due at an instant. It is due earlier if the
    /// calendar has no such day.
    func start(of period: SubscriptionPeriod, _ due: PastPurchase.Due, at instant: Timestamp) -> Timestamp {
        if due == .purchase { return instant }
        let wait: Int64 =
            switch due {
            case .purchase, .periodEnd: 0
            case .gracePeriodEnd: grace(of: period)
            case .billingRetryEnd: retry
            }
        let last = Timestamp(milliseconds: instant.milliseconds - wait)
        // The end grows with the beginning, and no period is four days longer than the next one.
        let length = end(of: period, from: last).milliseconds - last.milliseconds
        var (low, high) = (last.milliseconds - length - 4 * Self.day, last.milliseconds)
        while low < high {
            let middle = low + (high - low + 1) / 2
            if end(of: period, from: Timestamp(milliseconds: middle)) <= last {
                low = middle
            } else {
                high = middle - 1
            }
        }
        return Timestamp(milliseconds: low)
    }

    /// Computes the anchor for periods after one that was bought.
    ///
    /// It is the beginning of that period if counting from it gives its end, so that the day of the month is kept.
    /// Otherwise it is its end.
    /// - Parameters:
    ///   - access: The length that was bought.
    ///   - length: The product's own period.
    func anchor(
        from start: Timestamp, to end: Timestamp, access: SubscriptionPeriod, length: SubscriptionPeriod
    ) -> Anchor {
        guard rate == .realTime, let months = access.months, let each = length.months, months % each == 0 else {
            return Anchor(at: end, count: 0)
        }
        return Anchor(at: start, count: months / each)
    }

    /// Returns how long access continues after a declined charge, in milliseconds.
    ///
    /// It is 16 days, 6 for weekly subscriptions, and half a month's time under a rate, but never longer than the
    /// period.
    func grace(of length: SubscriptionPeriod) -> Int64 {
        let isWeekly = length == SubscriptionPeriod(numberOfUnits: 1, unit: .week)
        switch rate.compression {
        case .none: return (isWeekly ? 6 : 16) * Self.day
        case .daily(let day): return (isWeekly ? 6 : 16) * day
        case .scaled(_, let month): return min(month / 2, milliseconds(of: length) ?? month)
        case .fixed(let each): return each
        }
    }

    /// The time a declined charge is retried, grace included, in milliseconds.
    ///
    /// It is 60 days. Under a rate it is twice a month's time, or two periods.
    var retry: Int64 {
        switch rate.compression {
        case .none: 60 * Self.day
        case .daily(let day): 60 * day
        case .scaled(_, let month): 2 * month
        case .fixed(let each): 2 * each
        }
    }

    /// The time a declined payment of a commitment is retried, in milliseconds: 90 days (Apple's), and under a rate
    /// longer than ``retry`` in the same proportion.
    var committedRetry: Int64 { retry / 2 * 3 }

    /// Returns the end of a commitment, whose payments to come are made in time.
    /// - Parameters:
    ///   - left: The number of payments to come.
    ///   - anchor: The anchor of the present period.
    func end(ofCommitmentWith left: Int, _ anchor: Anchor) -> Timestamp {
        end(of: BillingPlan.monthlyPeriod, times: anchor.count + left, from: anchor.at)
    }

    /// Milliseconds of a day.
    private static let day: Int64 = 86_400_000

    /// Returns a period's length under the rate.
    /// - Returns: Nil in real time, where the calendar counts.
    private func milliseconds(of period: SubscriptionPeriod) -> Int64? {
        let count = Int64(period.numberOfUnits)
        switch rate.compression {
        case .none: return nil
        case .fixed(let each): return each
        case .daily(let day):
            switch period.unit {
            case .day: return count * day
            case .week: return count * 7 * day
            case .month: return count * 30 * day
            case .year: return count * 365 * day
            }
        case .scaled(let week, let month):
            switch period.unit {
            case .day: return count * week / 7
            case .week: return count * week
            case .month: return count * month
            case .year: return count * 12 * month
            }
        }
    }
}

extension SubscriptionPeriod {
    /// The number of months, or nil for days and weeks.
    fileprivate var months: Int? {
        switch unit {
        case .day, .week: nil
        case .month: numberOfUnits
        case .year: 12 * numberOfUnits
        }
    }
}

extension SubscriptionRenewalRate {
    /// How a rate shortens periods, in milliseconds of business time.
    fileprivate enum Compression {
        case none
        case daily(Int64)
        case scaled(week: Int64, month: Int64)
        case fixed(Int64)
    }

    /// The lengths of Apple's sandbox and of StoreKit testing for each rate.
    fileprivate var compression: Compression {
        let (second, minute): (Int64, Int64) = (1_000, 60_000)
        switch self {
        case .realTime: return .none
        case .oneSecondIsOneDay: return .daily(second)
        case .oneRenewalEveryTwoSeconds: return .fixed(2 * second)
        case .oneRenewalEveryFiveSeconds: return .fixed(5 * second)
        case .oneRenewalEveryTenSeconds: return .fixed(10 * second)
        case .oneRenewalEveryMinute: return .fixed(minute)
        case .oneRenewalEveryThirtySeconds, .monthlyRenewalEveryThirtySeconds:
            return .scaled(week: 10 * second, month: 30 * second)
        case .oneRenewalEveryThreeMinutes, .monthlyRenewalEveryThreeMinutes:
            return .scaled(week: 3 * minute, month: 3 * minute)
        case .oneRenewalEveryFiveMinutes, .monthlyRenewalEveryFiveMinutes:
            return .scaled(week: 3 * minute, month: 5 * minute)
        case .oneRenewalEveryFifteenMinutes: return .scaled(week: 5 * minute, month: 15 * minute)
        case .oneRenewalEveryThirtyMinutes: return .scaled(week: 10 * minute, month: 30 * minute)
        case .oneRenewalEveryHour, .monthlyRenewalEveryHour: return .scaled(week: 15 * minute, month: 60 * minute)
        }
    }
}
