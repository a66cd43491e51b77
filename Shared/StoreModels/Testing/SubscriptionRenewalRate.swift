/// The speed of subscription renewals, by StoreKit Test's names (`SKTestSession.TimeRate`).
public enum SubscriptionRenewalRate: String, CaseIterable, Sendable, Codable {
    case realTime
    case oneSecondIsOneDay
    case oneRenewalEveryTwoSeconds
    case oneRenewalEveryFiveSeconds
    case oneRenewalEveryTenSeconds
    case oneRenewalEveryThirtySeconds
    case oneRenewalEveryMinute
    case oneRenewalEveryThreeMinutes
    case oneRenewalEveryFiveMinutes
    case oneRenewalEveryFifteenMinutes
    case oneRenewalEveryThirtyMinutes
    case oneRenewalEveryHour
    case monthlyRenewalEveryThirtySeconds
    case monthlyRenewalEveryThreeMinutes
    case monthlyRenewalEveryFiveMinutes
    case monthlyRenewalEveryHour
}

extension SubscriptionRenewalRate {
    /// Business seconds in a second of wall time, for a clock that runs evenly. A month of 30 days takes the named
    /// time.
    public var clockFactor: Int64 {
        let month: Int64 = 30 * 86_400
        switch self {
        case .realTime: return 1
        case .oneSecondIsOneDay: return 86_400
        case .oneRenewalEveryTwoSeconds: return month / 2
        case .oneRenewalEveryFiveSeconds: return month / 5
        case .oneRenewalEveryTenSeconds: return month / 10
        case .oneRenewalEveryThirtySeconds, .monthlyRenewalEveryThirtySeconds: return month / 30
        case .oneRenewalEveryMinute: return month / 60
        case .oneRenewalEveryThreeMinutes, .monthlyRenewalEveryThreeMinutes: return month / 180
        case .oneRenewalEveryFiveMinutes, .monthlyRenewalEveryFiveMinutes: return month / 300
        case .oneRenewalEveryFifteenMinutes: return month / 900
        case .oneRenewalEveryThirtyMinutes: return month / 1_800
        case .oneRenewalEveryHour, .monthlyRenewalEveryHour: return month / 3_600
        }
    }

    /// Reads `oneRenewalEveryMinute`, or a command line's `one-renewal-every-minute`.
    public init?(spelled text: String) {
        let words = text.split(separator: "-")
        let camel = words.dropFirst().reduce(String(words.first ?? "")) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
        self.init(rawValue: camel)
    }
}
