/// The state of a subscription, as StoreKit names it. The type is `Product.SubscriptionInfo.RenewalState`. Apple's
/// server numbers them 1 subscribed, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
public enum SubscriptionState: String, CaseIterable, Sendable, Codable {
    case subscribed
    case expired
    /// A renewal could not be charged and is retried, without access meanwhile.
    case inBillingRetryPeriod
    /// A renewal could not be charged and is retried, while access continues.
    case inGracePeriod
    /// Refunded or revoked.
    case revoked

    /// Whether the customer is an existing subscriber, retry and grace included. An existing subscriber is not eligible
    /// for an introductory offer in the group (M126, M127).
    public var isExisting: Bool {
        switch self {
        case .subscribed, .inBillingRetryPeriod, .inGracePeriod: true
        case .expired, .revoked: false
        }
    }
}
