import StoreModels

/// What makes an app's subscriptions renew faster than in real time, in words.
enum RenewalWords {
    /// `subscriptions renew every 30 s because the file says _timeRate 15 (monthlyRenewalEveryThirtySeconds)`; nil in
    /// real time.
    static func sentence(_ app: App) -> String? {
        guard let rate = app.testerDefaults?.subscriptionRenewalRate, rate != .realTime else { return nil }
        return "subscriptions renew \(every(rate)) because \(cause(app)) (\(rate.rawValue))"
    }

    /// The sentence with what undoes it.
    static func note(_ app: App) -> String? {
        sentence(app).map { sentence in
            "\(sentence), twelve times as in Apple's sandbox; "
                + "the calendar's periods: storebus app set --renewal-rate realTime\(Known.option(app.bundleId))"
        }
    }

    private static func cause(_ app: App) -> String {
        if app.settings.subscriptionRenewalRate != nil { return "the app is set so" }
        return app.timeRate.map { "the file says _timeRate \($0)" } ?? "the catalogue's settings say so"
    }

    /// `every 30 s`: what a month becomes.
    static func every(_ rate: SubscriptionRenewalRate) -> String {
        switch rate {
        case .realTime: "in real time"
        case .oneSecondIsOneDay: "every 30 s, a second for each day"
        case .oneRenewalEveryTwoSeconds: "every 2 s"
        case .oneRenewalEveryFiveSeconds: "every 5 s"
        case .oneRenewalEveryTenSeconds: "every 10 s"
        case .oneRenewalEveryThirtySeconds, .monthlyRenewalEveryThirtySeconds: "every 30 s"
        case .oneRenewalEveryMinute: "every minute"
        case .oneRenewalEveryThreeMinutes, .monthlyRenewalEveryThreeMinutes: "every 3 minutes"
        case .oneRenewalEveryFiveMinutes, .monthlyRenewalEveryFiveMinutes: "every 5 minutes"
        case .oneRenewalEveryFifteenMinutes: "every 15 minutes"
        case .oneRenewalEveryThirtyMinutes: "every 30 minutes"
        case .oneRenewalEveryHour, .monthlyRenewalEveryHour: "every hour"
        }
    }
}
