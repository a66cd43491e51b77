/// The changes in one commit of PaymentQueue that apps' servers are notified of.
///
/// They are as of that instant. PaymentQueue writes the event in that commit and keeps it until AppStoreServer has
/// acknowledged it.
public struct ServerEvent: Hashable, Sendable, Codable {
    /// One change of a transaction or subscription.
    public struct Change: Hashable, Sendable, Codable {
        public var kind: Kind
        /// The transaction that the change made or concerns, else the latest one of the subscription.
        public var transaction: ServerTransaction
        /// The subscription after the change, or nil for one-time purchases.
        public var subscription: ServerSubscription?
        /// How the service level moved, for a change of product at once.
        public var level: LevelChange?
        /// Whether the change ended a subscription that would have renewed.
        public var endsRenewal: Bool?
        /// Why the customer asks for a refund, for a refund request.
        public var consumptionRequestReason: ConsumptionRequestReason?
    }

    /// The kind of change.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        /// A product other than a subscription was bought.
        case purchased
        /// The first purchase of a group, and one after it had lapsed.
        case subscribed, resubscribed
        case renewed
        /// A failed renewal was charged on a later try.
        case recovered
        /// The subscriber is asked for consent to a higher price.
        case priceIncreasePending
        /// The subscriber consented to a higher price. Also the first renewal at one that needed no consent.
        case priceIncreased
        /// A purchase took the place of the present period.
        case upgraded, crossgraded
        /// A change of product for the next renewal, or its withdrawal.
        case changeScheduled, changeReverted
        case autoRenewDisabled, autoRenewEnabled
        case gracePeriodStarted, billingRetryStarted, gracePeriodExpired
        case expired
        case refunded, revoked
        case extended
        /// An extension of all subscriptions of a product could not extend this one.
        case extensionFailed
        /// A customer has asked for a refund, and the operator has declined it.
        case refundRequested, refundDeclined
        /// A refund was taken back.
        case refundReversed
    }

    /// How a service level moved.
    public enum LevelChange: String, Sendable, Codable {
        /// To the same product again, with an offer.
        case none
        /// To the same level or a higher one.
        case upgrade
        case downgrade
    }

    /// Its place among all apps' events, which sorts as they happened. It is the `after` of the next request.
    public var position: String
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``, or nil for an event of no customer, as the two below.
    public var customerIdentifier: String?
    /// The shopper's name.
    public var account: String?
    /// The customer's download of the app, decimal digits.
    public var appTransactionIdentifier: String?
    /// Business time.
    public var at: Timestamp
    /// In the order they happened. Empty for an event of no customer.
    public var changes: [Change]
    /// The end of extending a product's subscriptions, or nil for an event of a customer.
    public var extensions: SubscriptionExtensions?
}

/// Asks PaymentQueue for the events of all apps, oldest first.
public struct ServerEventsRequest: Hashable, Sendable, Codable {
    /// ``ServerEventsPage/after`` of the page before. Nil begins at the first event that is kept.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of events.
public struct ServerEventsPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var events: [ServerEvent]
    /// Where the next page begins, or nil before the first event.
    public var after: String?
    /// Whether more events follow now.
    public var hasMore: Bool
}

/// Allows PaymentQueue to remove events once they are old enough.
public struct AcknowledgeServerEventsRequest: Hashable, Sendable, Codable {
    /// The last event's position, which AppStoreServer has stored with all before it.
    public var through: String
}

/// Notifies listeners that there may be new server events. It is a hint without content and may be lost.
public enum ServerEventHints {
    public static let subject = "sb.evt.payment.v1.serverEvents.added"
}
