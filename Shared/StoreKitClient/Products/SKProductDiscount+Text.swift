import Foundation

extension SKProductDiscount {
    /// The offer in English: "$1.99 a month for 3 months", "$1.99 for 2 months", "free for 1 week".
    ///
    /// The price has the format of `priceLocale`. StoreKit has no such text, so an app writes its own, in its user's
    /// language, for the same three payment modes.
    public var offerText: String {
        switch paymentMode {
        case .payAsYouGo:
            "\(priceText) \(subscriptionPeriod.each) for \(subscriptionPeriod.text(times: numberOfPeriods))"
        case .payUpFront: "\(priceText) for \(subscriptionPeriod.text(times: numberOfPeriods))"
        case .freeTrial: "free for \(subscriptionPeriod.text(times: numberOfPeriods))"
        @unknown default: priceText
        }
    }

    private var priceText: String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = priceLocale
        return formatter.string(from: price) ?? price.stringValue
    }
}

extension SKProductSubscriptionPeriod {
    private var name: String {
        switch unit {
        case .day: "day"
        case .week: "week"
        case .month: "month"
        case .year: "year"
        @unknown default: "period"
        }
    }

    /// "a month", "every 2 months"
    fileprivate var each: String { numberOfUnits == 1 ? "a \(name)" : "every \(numberOfUnits) \(name)s" }

    /// "1 week", "6 months"
    fileprivate func text(times count: Int) -> String {
        let units = numberOfUnits * count
        return "\(units) \(name)\(units == 1 ? "" : "s")"
    }
}
