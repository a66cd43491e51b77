import StoreModels

/// Decides how a purchase affects the customer's subscription in the product's group, without I/O.
///
/// A higher service level, and the same one in periods of the same length, take effect immediately. Every other change
/// takes effect with the next renewal. Buying the present product takes a scheduled change back.
///
/// Within a commitment a higher service level takes effect immediately, and every other change when the commitment ends
/// (our choice). Another plan of the present product takes effect like a lower level.
enum SubscriptionChangePolicy {
    enum Outcome: Hashable, Sendable {
        /// An ordinary purchase, because the customer has no active subscription.
        case begin
        /// Replaces the present period immediately.
        case replace(PurchaseTerms.Change)
        /// Takes effect when the present period ends, or the commitment. Nothing is paid now.
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
        /// The product's own period.
        var length: SubscriptionPeriod
        /// The billing plan. Nil for a product that is sold for each period up front alone.
        var plan: BillingPlan?
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
        let plan = wanted.plan ?? .upFront
        let isScheduled = subscription.renewsAfterwards && subscription.isChanged
        let isPresentProduct = wanted.product.isExactly(subscription.product)
        if isPresentProduct, plan == subscription.presentPlan { return isScheduled ? .revert : .alreadySubscribed }
        if !isPresentProduct, let change = immediate(wanted, subscription) { return .replace(change) }
        // After a renewal that failed no period is left whose end a change could wait for (our choice).
        guard subscription.state == .subscribed || subscription.isCommitted else {
            return .replace(change(to: wanted, subscription))
        }
        if isScheduled, wanted.product.isExactly(subscription.productAfterwards), plan == subscription.planAfterwards {
            return .alreadySubscribed
        }
        return .schedule(at: subscription.endOfTerms)
    }

    /// Returns the change to another product that takes effect immediately, if it does.
    private static func immediate(_ wanted: Wanted, _ subscription: StoredSubscription) -> PurchaseTerms.Change? {
        if wanted.level < subscription.level { return .upgrade }
        let isAsLong = wanted.length.isAsLong(as: subscription.length) && subscription.plan?.commitment == nil
        return wanted.level == subscription.level && isAsLong ? .crossgrade : nil
    }

    /// Tells whether a purchase with an offer would end a commitment early, which only a higher level of service does.
    static func breaksCommitment(_ wanted: Wanted, _ subscription: StoredSubscription?, now: Timestamp) -> Bool {
        guard let subscription, subscription.isActive(at: now), subscription.isCommitted else { return false }
        return wanted.level >= subscription.level
    }

    private static func change(to wanted: Wanted, _ subscription: StoredSubscription) -> PurchaseTerms.Change {
        if wanted.level < subscription.level { return .upgrade }
        return wanted.level == subscription.level ? .crossgrade : .downgrade
    }
}
