/// What a customer is to a subscription group, which every offer's policy asks first.
public enum SubscriberStanding: Hashable, Sendable {
    /// Never subscribed to any product of the group.
    case new
    /// Subscribed now, to whichever product of the group (M126). The state says how: grace and billing retry count,
    /// because the subscription may still continue (M127; ours, Apple does not mention them).
    case existing(SubscriptionState)
    /// Was subscribed and is no longer: expired, refunded or revoked.
    case former
}

extension SubscriptionGroupHistory {
    /// - Parameter now: The app's business clock, never the wall clock. The exact end is not part of the period.
    public func standing(at now: Timestamp) -> SubscriberStanding {
        guard let state = state ?? (activeUntil == nil ? nil : .subscribed) else { return .new }
        switch state {
        case .inGracePeriod, .inBillingRetryPeriod: return .existing(state)
        case .expired, .revoked: return .former
        case .subscribed:
            // A renewal that is not processed yet: it would be wrong to treat the customer as gone meanwhile.
            let goesOn = isRenewalDue || activeUntil.map { $0 > now } ?? false
            return goesOn ? .existing(state) : .former
        }
    }
}
