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
    /// This job, or another writer before it, has changed the subscription.
    case done
    /// The outcome is unknown and nothing has changed; the job is tried again.
    case unknown
}
