internal import StoreModels

extension SKTestSession {
    /// How fast subscriptions renew, with StoreKit's numbers.
    public enum TimeRate: Int, Hashable, Sendable, CaseIterable {
        case realTime = 0
        case oneHourIsOneDay = 1
        case thirtyMinutesIsOneDay = 2
        case fiveMinutesIsOneDay = 3
        case oneMinuteIsOneDay = 4
        case thirtySecondsIsOneDay = 5
        case oneSecondIsOneDay = 6
        case monthlyRenewalEveryHour = 10
        case monthlyRenewalEveryThirtyMinutes = 11
        case monthlyRenewalEveryFifteenMinutes = 12
        case monthlyRenewalEveryFiveMinutes = 13
        case monthlyRenewalEveryThirtySeconds = 15
        case oneRenewalEveryFifteenMinutes = 1_000
        case oneRenewalEveryFiveMinutes = 1_001
        case oneRenewalEveryMinute = 1_002
        case oneRenewalEveryThirtySeconds = 1_003
        case oneRenewalEveryTenSeconds = 1_004
        case oneRenewalEveryTwoSeconds = 1_005
    }
}

extension SKTestSession.TimeRate {
    /// The store's rate. The three slow rates by days have none: a month in an hour is the slowest.
    var storeRate: SubscriptionRenewalRate {
        switch self {
        case .realTime: .realTime
        case .oneHourIsOneDay, .thirtyMinutesIsOneDay, .fiveMinutesIsOneDay, .monthlyRenewalEveryHour:
            .monthlyRenewalEveryHour
        case .oneMinuteIsOneDay, .monthlyRenewalEveryThirtyMinutes: .oneRenewalEveryThirtyMinutes
        case .thirtySecondsIsOneDay, .monthlyRenewalEveryFifteenMinutes, .oneRenewalEveryFifteenMinutes:
            .oneRenewalEveryFifteenMinutes
        case .oneSecondIsOneDay: .oneSecondIsOneDay
        case .monthlyRenewalEveryFiveMinutes: .monthlyRenewalEveryFiveMinutes
        case .monthlyRenewalEveryThirtySeconds: .monthlyRenewalEveryThirtySeconds
        case .oneRenewalEveryFiveMinutes: .oneRenewalEveryFiveMinutes
        case .oneRenewalEveryMinute: .oneRenewalEveryMinute
        case .oneRenewalEveryThirtySeconds: .oneRenewalEveryThirtySeconds
        case .oneRenewalEveryTenSeconds: .oneRenewalEveryTenSeconds
        case .oneRenewalEveryTwoSeconds: .oneRenewalEveryTwoSeconds
        }
    }

    /// The first rate that the store treats like this one.
    init?(_ rate: SubscriptionRenewalRate) {
        guard let known = Self.allCases.last(where: { $0.storeRate == rate }) else { return nil }
        self = known
    }
}
