import StoreModels

/// An event of a subscription (``SubscriptionStateMachine``).
enum SubscriptionTransition: Hashable, Sendable {
    /// A purchase with immediate effect: the first of the group, one after a lapse, an upgrade, a crossgrade.
    case bought(SubscriptionPurchase)
    /// The next period is paid, or costs nothing.
    case charged(SubscriptionRenewal)
    case declined(SubscriptionDecline)
    /// The processor has another amount under the renewal's key.
    ///
    /// The period is neither given nor declined, and the service does not retry. An operator asks again
    /// (`resolveBilling`) or ends the subscription (`expire`).
    case quarantined(SubscriptionMismatch)
    case graceEnded
    /// The subscription ends. Before the period's own end the period is shortened.
    case expired(Subscription.ExpirationReason)
    /// Within a commitment they decide about what follows it, and the payments go on.
    case autoRenewDisabled, autoRenewEnabled
    /// The next renewal, or the one after the commitment, buys another product or plan. `by` is the transaction that
    /// schedules it, if any.
    case changeScheduled(to: String, plan: BillingPlan?, by: String?)
    case changeReverted(by: String?)
    /// The present period's money or entitlement is taken back.
    case ended(SubscriptionTakenBack)
    /// A later period is taken back: the subscription ends where that period would have begun.
    case curtailed(SubscriptionTakenBack, at: Timestamp)
    case extended(days: Int)
    /// The present period ends now, and its renewal is due.
    case cutShort
    case renewalWillFail
    /// The next renewal costs more than was agreed. Nil withdraws that.
    case priceRaised(PriceIncrease?)
    /// The subscriber is asked about a higher price that is the present one.
    case consentRequested
    /// The subscriber agrees to the higher price, or refuses.
    case priceAnswered(agrees: Bool)
}

/// An action for the commit of a change, besides writing the subscription's row.
enum SubscriptionAction: Hashable, Sendable {
    /// Record a timeline entry. The commit adds the account.
    case record(SubscriptionEvent)
    case writePeriod(SubscriptionPaid, index: Int)
    /// Ask a person about the price. The prompt is about this transaction.
    case askConsent(about: String)
    /// Withdraw the price prompt about this transaction.
    case withdrawConsent(about: String)
    /// Record the group in which a product was paid, when product or group has changed.
    case writeGroup(String, product: String)
    /// End all periods at an instant, including later ones.
    case cutPeriods(at: Timestamp)
    /// Extend a period beyond the end it was sold with.
    case extendPeriod(Int, to: Timestamp)
}

/// How money or entitlement was taken back.
enum SubscriptionEnding: Hashable, Sendable { case refunded, revoked }

/// A period whose money or entitlement is taken back.
struct SubscriptionTakenBack: Hashable, Sendable {
    var ending: SubscriptionEnding
    /// The refunded amount, if any.
    var refunded: Money?
    /// The period's index.
    var period: Int
    /// The identifier of the transaction that paid it.
    var identifier: String?
}

/// A paid period of a subscription: a row, and one captured charge unless it was free (S1, S2).
struct SubscriptionPaid: Hashable, Sendable {
    /// The transaction's `id`.
    var id: String
    /// The transaction's identifier.
    var identifier: String
    var product: String
    /// The key of its charge at the processor. Nil for a period without a charge.
    var chargeKey: String?
    /// The charged amount, zero included.
    var amount: Money
    var start: Timestamp
    var end: Timestamp
}

/// A purchase that begins a period now.
struct SubscriptionPurchase: Hashable, Sendable {
    var paid: SubscriptionPaid
    var terms: PurchaseTerms.Subscription
    /// The offer of the new period. Nil at the regular price.
    var offer: StoredSubscription.RunningOffer?
}

/// A paid renewal.
struct SubscriptionRenewal: Hashable, Sendable {
    /// The transaction's `id`.
    var id: String
    /// The transaction's identifier.
    var identifier: String
    /// The decision before the charge.
    var attempt: RenewalAttempt
    /// The subscription's part of the attempt's terms.
    var terms: PurchaseTerms.Subscription

    /// The offer of the new period. Nil at the regular price.
    var offer: StoredSubscription.RunningOffer? {
        attempt.terms.offer.map { .init(applied: $0, amount: attempt.terms.amount, periodsLeft: attempt.offerLeft) }
    }
}

/// A renewal that the processor has charged with another amount than agreed.
struct SubscriptionMismatch: Hashable, Sendable {
    var agreed: Money
    /// Nil when the processor has not named an amount.
    var charged: Money?
}

/// A renewal that the processor has declined.
struct SubscriptionDecline: Hashable, Sendable {
    /// The amount that was declined.
    var amount: Money
    /// The processor's reason, if it has given one.
    var reason: String?
    /// Whether the app's subscriptions have a grace period.
    var hasGrace: Bool
}
