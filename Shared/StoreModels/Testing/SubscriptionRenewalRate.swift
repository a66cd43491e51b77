/// How fast the app's business clock runs, by StoreKit Test's names (`SKTestSession.TimeRate`, `mission.md` §2.8).
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
