/// A customer's history in one product's subscription group, for decisions about offers.
/// ``SubscriptionHistory/group(of:at:)`` makes it.
///
/// ```json
/// {"subscriptionGroupIdentifier":"21378123","introductoryOfferTransaction":"2000000000000001",
///  "introductoryOfferReserved":false,"activeUntil":"2026-12-21T10:00:00.000Z","activeTransaction":"2000000000000004"}
/// ```
public struct SubscriptionGroupHistory: Hashable, Sendable, Codable {
    /// The group the product is in today.
    public var subscriptionGroupIdentifier: String
    /// The transaction that used the group's introductory offer, refunded or not (M128).
    public var introductoryOfferTransaction: String?
    /// The product whose offer was used or is held. It may be another one of the group.
    public var introductoryOfferProduct: String?
    /// Whether a payment in flight or deferred holds the offer. A held offer counts as used.
    public var introductoryOfferReserved: Bool = false
    /// The latest expiry among the customer's subscriptions of the group, grace and billing retry included.
    public var activeUntil: Timestamp?
    /// The latest transaction of the subscription in `activeUntil`, in decimal digits.
    public var activeTransaction: String?
    /// The subscription's state, or nil if the customer never had one.
    public var state: SubscriptionState?
    /// Whether the period is over and the subscription neither renewed nor ended yet. It then counts as active when it
    /// renews automatically.
    public var isRenewalDue: Bool = false
}
