import StoreModels

/// One change to make to one subscription.
struct RenewalJob: Hashable, Sendable {
    enum Work: Hashable, Sendable {
        /// Ask the processor about this fixed charge, and write its reply.
        case charge(RenewalAttempt)
        /// Write a period that costs nothing.
        case free(RenewalAttempt)
        case change(SubscriptionTransition)
    }

    /// The subscription as it was read, or fixed.
    var value: StoredSubscription
    var work: Work
    /// The instant of the change, by the app's clock.
    var at: Timestamp
}

/// The outcome of a job.
enum RenewalOutcome: Hashable, Sendable {
    /// This job, or another writer before it, has changed the subscription.
    case done
    /// The outcome is unknown and nothing has changed. The job is tried again.
    case unknown
}
