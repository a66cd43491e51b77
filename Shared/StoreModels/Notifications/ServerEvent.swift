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
    /// The app whose clock the page has. Nil for none.
    public var clockOf: String?
}

/// A page of events.
public struct ServerEventsPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var events: [ServerEvent]
    /// Where the next page begins, or nil before the first event.
    public var after: String?
    /// Whether more events follow now.
    public var hasMore: Bool
    /// The clock of the request's app, read before the events. So this page and those behind it have all events until
    /// then.
    public var clock: AppClockState?
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

/// Decides which notifications an event gives, without I/O.
public enum NotificationPolicy {
    /// A notification of an event.
    public struct Notification: Hashable, Sendable {
        public var type: NotificationType
        public var subtype: NotificationSubtype?
        /// The change it tells of.
        public var change: ServerEvent.Change

        init(_ type: NotificationType, _ subtype: NotificationSubtype?, _ change: ServerEvent.Change) {
            self.type = type
            self.subtype = subtype
            self.change = change
        }

        init(_ type: NotificationType, _ change: ServerEvent.Change) { self.init(type, nil, change) }
    }

    /// Returns the notifications of a commit, in order.
    public static func notifications(of changes: [ServerEvent.Change]) -> [Notification] {
        let kinds = Set(changes.map(\.kind))
        return changes.flatMap { change in notifications(of: change, among: kinds) }
    }

    private static func notifications(
        of change: ServerEvent.Change, among kinds: Set<ServerEvent.Kind>
    ) -> [Notification] {
        switch change.kind {
        case .purchased: [Notification(.oneTimeCharge, change)]
        case .subscribed: [Notification(.subscribed, .initialBuy, change)]
        case .resubscribed: [Notification(.subscribed, .resubscribe, change)]
        case .renewed: [Notification(.didRenew, change)]
        case .recovered: [Notification(.didRenew, .billingRecovery, change)]
        case .priceIncreasePending: [Notification(.priceIncrease, .pending, change)]
        case .priceIncreased: [Notification(.priceIncrease, .accepted, change)]
        case .upgraded, .crossgraded: [replacement(change)]
        case .changeScheduled: [Notification(.didChangeRenewalPref, .downgrade, change)]
        case .changeReverted: [Notification(.didChangeRenewalPref, change)]
        case .autoRenewDisabled: [Notification(.didChangeRenewalStatus, .autoRenewDisabled, change)]
        case .autoRenewEnabled: [Notification(.didChangeRenewalStatus, .autoRenewEnabled, change)]
        case .gracePeriodStarted: [Notification(.didFailToRenew, .gracePeriod, change)]
        case .gracePeriodExpired: [Notification(.gracePeriodExpired, change)]
        // The end of a grace period says it.
        case .billingRetryStarted: kinds.contains(.gracePeriodExpired) ? [] : [Notification(.didFailToRenew, change)]
        case .expired: [Notification(.expired, subtype(of: change.subscription?.subscription.expirationReason), change)]
        case .refunded:
            (change.endsRenewal == true
                ? [Notification(.didChangeRenewalStatus, .autoRenewDisabled, change)] : [])
                + [Notification(.refund, change)]
        case .revoked: [Notification(.revoke, change)]
        case .extended: [Notification(.renewalExtended, change)]
        case .extensionFailed: [Notification(.renewalExtension, .failure, change)]
        case .refundRequested: [Notification(.consumptionRequest, change)]
        case .refundDeclined: [Notification(.refundDeclined, change)]
        case .refundReversed: [Notification(.refundReversed, change)]
        }
    }

    /// Returns the notification of a purchase that takes the place of a period.
    private static func replacement(_ change: ServerEvent.Change) -> Notification {
        let offer = change.transaction.item.offer
        guard let offer, offer.type != .introductory else {
            return Notification(.didChangeRenewalPref, .upgrade, change)
        }
        switch change.level {
        case .some(.none): return Notification(.offerRedeemed, change)
        case .downgrade: return Notification(.offerRedeemed, .downgrade, change)
        case .upgrade, nil: return Notification(.offerRedeemed, .upgrade, change)
        }
    }

    private static func subtype(of reason: Subscription.ExpirationReason?) -> NotificationSubtype? {
        switch reason {
        case .cancelled: .voluntary
        case .billingError: .billingRetry
        case .priceIncreaseRefused: .priceIncrease
        case .productNotAvailable: .productNotForSale
        case .other, nil: nil
        }
    }
}
