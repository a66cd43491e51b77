import StoreKit

/// The customer's subscription to Pro.
package struct Membership: Equatable, Sendable {
    package let state: Product.SubscriptionInfo.RenewalState
    /// The transaction of the present or the last period.
    package let transaction: Transaction
    /// The next renewal.
    package let renewal: Product.SubscriptionInfo.RenewalInfo

    /// Reads the statuses of a group. A family may have several, and the one that unlocks Pro counts.
    init?(_ statuses: [SubscriptionStatus]) {
        let memberships = statuses.compactMap { Membership($0) }
        guard let best = memberships.first(where: \.isActive) ?? memberships.first else { return nil }
        self = best
    }

    private init?(_ status: SubscriptionStatus) {
        guard case .verified(let transaction) = status.transaction, case .verified(let renewal) = status.renewalInfo
        else { return nil }
        (state, self.transaction, self.renewal) = (status.state, transaction, renewal)
    }

    /// Whether Pro is unlocked.
    package var isActive: Bool { state == .subscribed || state == .inGracePeriod }

    /// The day on which Pro ends if nothing is charged until then.
    package var end: Date? {
        state == .inGracePeriod ? renewal.gracePeriodExpirationDate : transaction.expirationDate
    }
}
