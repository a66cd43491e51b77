/// A customer's relation to a subscription group, on which every offer's policy depends.
public enum SubscriberStatus: Hashable, Sendable {
    /// Never subscribed to any product of the group.
    case new
    /// Subscribed now, to any product of the group (M126). The state says how. Grace and billing retry count, because
    /// the subscription may still continue (M127, this store's rule because Apple does not mention them).
    case existing(SubscriptionState)
    /// No longer subscribed, because the subscription expired or was refunded or revoked.
    case former
}

extension SubscriptionGroupHistory {
    /// The customer's relation to the group.
    ///
    /// - Parameter now: The app's business clock, never the wall clock. The exact end is not part of the period.
    public func status(at now: Timestamp) -> SubscriberStatus {
        guard let state = state ?? (activeUntil == nil ? nil : .subscribed) else { return .new }
        switch state {
        case .inGracePeriod, .inBillingRetryPeriod: return .existing(state)
        case .expired, .revoked: return .former
        case .subscribed:
            // A renewal that is not processed yet: it would be wrong to treat the customer as gone meanwhile.
            let isSubscribed = isRenewalDue || activeUntil.map { $0 > now } ?? false
            return isSubscribed ? .existing(state) : .former
        }
    }
}
