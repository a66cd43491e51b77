import StoreModels

/// What happens to a subscription (``SubscriptionStateMachine``).
enum SubscriptionChange: Hashable, Sendable {
    /// A purchase that takes effect at once: the first of the group, one after it had lapsed, an upgrade, a crossgrade.
    case bought(SubscriptionPurchase)
    /// The next period is paid, or costs nothing.
    case charged(SubscriptionRenewal)
    case declined(SubscriptionDecline)
    /// The processor has another amount under the renewal's key. The period is neither given nor declined, and the
    /// service does not retry. An operator asks again (`resolveBilling`) or ends the subscription (`expire`).
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
enum SubscriptionAction: Hashable, Sendable {
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
enum SubscriptionEnding: Hashable, Sendable { case refunded, revoked }

/// A period whose money or entitlement is taken back.
struct SubscriptionTakenBack: Hashable, Sendable {
    var ending: SubscriptionEnding
    var refunded: Money?
    var period: Int
    /// Of the transaction that paid it.
    var identifier: String?
}

/// A period that is paid.
struct SubscriptionPaid: Hashable, Sendable {
    /// The transaction's `id`, and its identifier.
    var id: String
    var identifier: String
    var product: String
    /// Nil where nothing was charged.
    var chargeKey: String?
    var amount: Money
    var start: Timestamp
    var end: Timestamp
}

/// A purchase that begins a period now.
struct SubscriptionPurchase: Hashable, Sendable {
    var paid: SubscriptionPaid
    /// The product's group.
    var group: String
    /// The product's own price, which the subscriber agrees to; nil where it is not known.
    var price: Money?
    var level: Int
    /// The product's own period, and how long was bought.
    var length: SubscriptionPeriod
    var accessPeriod: SubscriptionPeriod
    var offer: StoredSubscription.RunningOffer?
    var rate: SubscriptionRenewalRate
}

/// A renewal that is paid.
struct SubscriptionRenewal: Hashable, Sendable {
    var id: String
    var identifier: String
    var product: String
    /// The product's group.
    var group: String
    /// The product's own price.
    var price: Money?
    /// A price the subscriber was not asked about in time: this period costs the one before, and they are asked now.
    var asks: PriceIncrease?
    var level: Int
    var length: SubscriptionPeriod
    var chargeKey: String?
    var amount: Money
    /// The offer of the new period.
    var offer: StoredSubscription.RunningOffer?
    /// What the period before has cost at the regular price, when the new one costs another.
    var formerPrice: Money?
}

/// A renewal the processor has charged another amount for than was agreed.
struct SubscriptionMismatch: Hashable, Sendable {
    var agreed: Money
    /// Nil where the processor has not said.
    var charged: Money?
}

/// A renewal the processor has refused.
struct SubscriptionDecline: Hashable, Sendable {
    var amount: Money
    var reason: String?
    /// The app's subscriptions have a grace period.
    var hasGrace: Bool
}
