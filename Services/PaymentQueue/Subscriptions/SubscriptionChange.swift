import StoreModels

/// What happens to a subscription (``SubscriptionStateMachine``).
package enum SubscriptionChange: Hashable, Sendable {
    /// A purchase that takes effect at once: the first of the group, one after it had lapsed, an upgrade, a crossgrade.
    case bought(SubscriptionPurchase)
    /// The next period is paid, or costs nothing.
    case charged(SubscriptionRenewal)
    case declined(SubscriptionDecline)
    /// The processor has another amount under the renewal's key. Neither given nor declined, and nobody acts on it by
    /// themselves: an operator asks again (`resolveBilling`) or ends the subscription (`expire`).
    case quarantined(SubscriptionMismatch)
    case graceEnded
    /// The end; before the period's own end it is cut short.
    case expired(Subscription.ExpirationReason)
    case autoRenewDisabled, autoRenewEnabled
    /// The next renewal buys another product; `by` is the transaction that says so, if one does.
    case changeScheduled(to: String, by: String?)
    case changeReverted(by: String?)
    /// The present period's money or entitlement is taken back.
    case ended(SubscriptionTakenBack)
    /// A period that is still to come is taken back: the subscription ends where that one would have begun.
    case curtailed(SubscriptionTakenBack, at: Timestamp)
    case extended(days: Int)
    case renewalWillFail
    /// The next renewal costs more than was agreed to; nil: no longer.
    case priceRaised(PriceIncrease?)
    /// What the subscriber says to it.
    case priceAnswered(agrees: Bool)
}

/// What belongs into the commit of a change, besides the subscription's row.
package enum SubscriptionAction: Hashable, Sendable {
    /// An entry of the timeline; whose account it is, is known to the commit.
    case record(SubscriptionEvent)
    case writePeriod(SubscriptionPeriodRow)
    /// A person is asked about the price, or no longer; the prompt is about this transaction.
    case askConsent(about: String)
    case withdrawConsent(about: String)
    /// A product was paid in a group for the first time since it was another one.
    case writeGroup(String, product: String)
    /// All periods are over at an instant, also such that were to begin later.
    case cutPeriods(at: Timestamp)
    /// A period ends later than it was sold for.
    case extendPeriod(Int, to: Timestamp)
}

/// How money or entitlement was taken back.
package enum SubscriptionEnding: Hashable, Sendable { case refunded, revoked }

/// A period whose money or entitlement is taken back.
package struct SubscriptionTakenBack: Hashable, Sendable {
    package var ending: SubscriptionEnding
    package var refunded: Money?
    package var period: Int
    /// Of the transaction that paid it.
    package var identifier: String?
}

/// A period that is paid.
package struct SubscriptionPaid: Hashable, Sendable {
    /// The transaction's `id`, and its identifier.
    package var id: String
    package var identifier: String
    package var product: String
    /// Nil where nothing was charged.
    package var chargeKey: String?
    package var amount: Money
    package var start: Timestamp
    package var end: Timestamp
}

/// A purchase that begins a period now.
package struct SubscriptionPurchase: Hashable, Sendable {
    package var paid: SubscriptionPaid
    /// The product's group.
    package var group: String
    /// The product's own price, which the subscriber agrees to; nil where it is not known.
    package var price: Money?
    package var level: Int
    /// The product's own period, and how long was bought.
    package var length: SubscriptionPeriod
    package var accessPeriod: SubscriptionPeriod
    package var offer: StoredSubscription.RunningOffer?
    package var rate: SubscriptionRenewalRate
}

/// A renewal that is paid.
package struct SubscriptionRenewal: Hashable, Sendable {
    package var id: String
    package var identifier: String
    package var product: String
    /// The product's group.
    package var group: String
    /// The product's own price.
    package var price: Money?
    /// A price the subscriber was not asked about in time: this period costs the one before, and they are asked now.
    package var asks: PriceIncrease?
    package var level: Int
    package var length: SubscriptionPeriod
    package var chargeKey: String?
    package var amount: Money
    /// The offer of the new period.
    package var offer: StoredSubscription.RunningOffer?
    /// What the period before has cost at the regular price, when the new one costs another.
    package var formerPrice: Money?
}

/// A renewal the processor has charged another amount for than was agreed.
package struct SubscriptionMismatch: Hashable, Sendable {
    package var agreed: Money
    /// Nil where the processor has not said.
    package var charged: Money?
}

/// A renewal the processor has refused.
package struct SubscriptionDecline: Hashable, Sendable {
    package var amount: Money
    package var reason: String?
    /// The app's subscriptions have a grace period.
    package var hasGrace: Bool
}
