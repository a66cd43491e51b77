import StoreModels

/// One thing to be done to one subscription.
struct RenewalJob: Hashable, Sendable {
    enum Work: Hashable, Sendable {
        /// Ask the processor about this charge, which is fixed, and write down the answer.
        case charge(RenewalAttempt)
        /// Nothing has to be paid: only the commit is missing.
        case free(RenewalAttempt)
        case change(SubscriptionChange)
    }

    /// As it was read, or fixed.
    var value: StoredSubscription
    var work: Work
    /// As of when it happens.
    var at: Timestamp
}

/// What a job has come to.
enum RenewalOutcome: Hashable, Sendable {
    /// The subscription has moved on, by us or by whoever was first.
    case done
    /// Nothing is known and nothing has changed: it is tried again.
    case unknown
}
