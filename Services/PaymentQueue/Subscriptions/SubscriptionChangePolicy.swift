import StoreModels

/// Decides how a purchase affects the customer's subscription in the product's group, without I/O.
///
/// A higher service level, and the same one in periods of the same length, take effect immediately. Every other change
/// takes effect with the next renewal. Buying the present product takes a scheduled change back.
enum SubscriptionChangePolicy {
    enum Outcome: Hashable, Sendable {
        /// An ordinary purchase, because the customer has no active subscription.
        case begin
        /// Replaces the present period immediately.
        case replace(PurchaseTerms.Change)
        /// Takes effect when the present period ends. Nothing is paid now.
        case schedule(at: Timestamp)
        /// Takes the scheduled change back. Nothing is paid.
        case revert
        case alreadySubscribed
    }

    /// The product to buy.
    struct Wanted: Hashable, Sendable {
        var product: String
        /// The service level. 1 is the highest.
        var level: Int
        var length: SubscriptionPeriod
        /// Whether it is sold with a promotional offer, a win-back offer or an offer code.
        ///
        /// Such a purchase always takes effect immediately (our choice), so that the offer's periods are counted from
        /// the purchase.
        var takesOffer = false
    }

    /// Decides about a purchase.
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
        // After a renewal that failed no period is left whose end a change could wait for (our choice).
        guard subscription.state == .subscribed else { return .replace(change(to: wanted, subscription)) }
        if isScheduled, wanted.product.isExactly(subscription.renewProduct) { return .alreadySubscribed }
        return .schedule(at: subscription.period.end)
    }

    private static func change(to wanted: Wanted, _ subscription: StoredSubscription) -> PurchaseTerms.Change {
        if wanted.level < subscription.level { return .upgrade }
        return wanted.level == subscription.level ? .crossgrade : .downgrade
    }
}
