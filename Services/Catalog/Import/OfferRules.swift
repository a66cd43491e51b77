import StoreModels

/// Checks an offer's duration by payment mode and the subscription's period (M113–M116). The durations are those of App
/// Store Connect, the same for introductory, promotional and win-back offers and offer codes.
enum OfferRules {
    /// The total durations of a free trial.
    private static let trials = ["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P1Y"]
    /// The total durations of an offer paid up front.
    private static let paidUpFront = ["P1M", "P2M", "P3M", "P6M", "P1Y"]
    /// Maximum number of periods for pay as you go, by the subscription's period.
    private static let paidAsYouGo = ["P1W": 12, "P1M": 12, "P2M": 6, "P3M": 4, "P6M": 2, "P1Y": 1]

    /// Checks an offer.
    /// - Returns: The reason why the offer is not allowed, with the allowed values, or nil when it is allowed.
    static func objection(
        to mode: ProductDiscount.PaymentMode, period: SubscriptionPeriod, count: Int, subscription: SubscriptionPeriod
    ) -> (reason: String, allowed: [String])? {
        switch mode {
        case .freeTrial:
            duration(period.times(count), of: "a free trial", among: trials)
        case .payUpFront:
            duration(period.times(count), of: "an offer paid up front", among: paidUpFront)
        case .payAsYouGo:
            asYouGo(period, count, subscription)
        }
    }

    private static func duration(
        _ whole: SubscriptionPeriod, of what: String, among allowed: [String]
    ) -> (reason: String, allowed: [String])? {
        allowed.contains(whole.canonical.iso8601) ? nil : ("\(what) cannot last \(whole)", allowed)
    }

    private static func asYouGo(
        _ period: SubscriptionPeriod, _ count: Int, _ subscription: SubscriptionPeriod
    ) -> (reason: String, allowed: [String])? {
        let own = subscription.canonical.iso8601
        guard period.canonical.iso8601 == own else {
            return ("an offer paid as you go is charged each \(subscription), not each \(period)", [own])
        }
        guard let most = paidAsYouGo[own], count <= most else {
            let most = paidAsYouGo[own] ?? 0
            return ("an offer paid as you go lasts at most \(most) periods of \(subscription), not \(count)", [])
        }
        return nil
    }
}

extension SubscriptionPeriod {
    /// The period with seven days as a week and twelve months as a year. Equal lengths then compare equal.
    var canonical: SubscriptionPeriod {
        switch unit {
        case .day where numberOfUnits.isMultiple(of: 7):
            SubscriptionPeriod(numberOfUnits: numberOfUnits / 7, unit: .week)
        case .month where numberOfUnits.isMultiple(of: 12):
            SubscriptionPeriod(numberOfUnits: numberOfUnits / 12, unit: .year)
        default: self
        }
    }
}
