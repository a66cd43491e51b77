import StoreModels

/// Decides what buying a subscription does to the one the customer has in its group, without I/O (`mission.md` §2.7).
///
/// Higher service, and the same service in periods of the same length, take effect at once; everything else with the
/// next renewal; the present product takes a scheduled change back.
enum SubscriptionChangePolicy {
    enum Outcome: Hashable, Sendable {
        /// There is no active subscription: an ordinary purchase.
        case begin
        /// At once, in the place of the present period.
        case replace(PurchaseTerms.Change)
        /// Noted for the instant at which the present period ends; nothing is paid.
        case schedule(at: Timestamp)
        /// What was scheduled is not any more; nothing is paid.
        case revert
        case alreadySubscribed
    }

    /// What is to be bought.
    struct Wanted: Hashable, Sendable {
        var product: String
        /// 1 is the highest service.
        var level: Int
        var length: SubscriptionPeriod
        /// Whether it is sold at the terms of a promotional offer, a win-back offer or an offer code. Such a purchase
        /// always takes effect immediately (our choice), so that the offer's periods are counted from the purchase.
        var takesOffer = false
    }

    /// - Parameter now: The app's clock.
    static func decide(_ wanted: Wanted, _ subscription: StoredSubscription?, now: Timestamp) -> Outcome {
        guard let subscription, subscription.isActive(at: now) else { return .begin }
        if wanted.takesOffer { return .replace(change(to: wanted, subscription)) }
        let isScheduled = subscription.willAutoRenew && !subscription.renewProduct.isExactly(subscription.product)
        if wanted.product.isExactly(subscription.product) { return isScheduled ? .revert : .alreadySubscribed }
        if wanted.level < subscription.level { return .replace(.upgrade) }
        if wanted.level == subscription.level, wanted.length.isAsLong(as: subscription.length) {
            return .replace(.crossgrade)
        }
        // After a renewal that failed there is no period left whose end a change could wait for (ours).
        guard subscription.state == .subscribed else { return .replace(change(to: wanted, subscription)) }
        if isScheduled, wanted.product.isExactly(subscription.renewProduct) { return .alreadySubscribed }
        return .schedule(at: subscription.period.end)
    }

    private static func change(to wanted: Wanted, _ subscription: StoredSubscription) -> PurchaseTerms.Change {
        if wanted.level < subscription.level { return .upgrade }
        return wanted.level == subscription.level ? .crossgrade : .downgrade
    }
}

extension SubscriptionPeriod {
    /// Twelve months are a year, and seven days a week.
    fileprivate func isAsLong(as other: SubscriptionPeriod) -> Bool { normal == other.normal }

    private var normal: SubscriptionPeriod {
        switch unit {
        case .day, .month: self
        case .week: SubscriptionPeriod(numberOfUnits: numberOfUnits * 7, unit: .day)
        case .year: SubscriptionPeriod(numberOfUnits: numberOfUnits * 12, unit: .month)
        }
    }
}
