import StoreModels

/// One thing to be done to one subscription.
package struct RenewalJob: Hashable, Sendable {
    package enum Work: Hashable, Sendable {
        /// Ask the processor about this charge, which is fixed, and write down the answer.
        case charge(RenewalAttempt)
        /// Nothing has to be paid: only the commit is missing.
        case free(RenewalAttempt)
        case change(SubscriptionChange)
    }

    /// As it was read, or fixed.
    package var value: StoredSubscription
    package var work: Work
    /// As of when it happens.
    package var at: Timestamp
}

/// What a job has come to.
package enum RenewalOutcome: Hashable, Sendable {
    /// The subscription has moved on, by us or by whoever was first.
    case done
    /// Nothing is known and nothing has changed: it is tried again.
    case unknown
}
