/// Asks for a customer's subscriptions, one per group ever subscribed to.
public struct SubscriptionsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The last subscription's `originalTransactionIdentifier` of the page before.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// Asks for subscriptions across customers, for the operator.
public struct SubscriptionListRequest: Hashable, Sendable, Codable {
    /// The app to list. Nil lists the installation's apps, without isolated stores.
    public var bundleId: String?
    /// The account to list. Nil lists all accounts.
    public var account: String?
    /// The state to list. Nil lists all states.
    public var state: SubscriptionState?
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of subscriptions.
public struct SubscriptionsPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var subscriptions: [Subscription]
    /// The next page's `after`, absent on the last page.
    public var after: String?
    /// The business clock at the moment of reading. Absent if the list is of several apps.
    public var businessNow: Timestamp?
}

/// Changes a subscription as a customer does under "manage subscriptions". Both members may be given. A member left out
/// stays as it is.
public struct UpdateSubscriptionRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The subscription's first transaction, decimal digits.
    public var originalTransactionIdentifier: String
    /// False cancels at the end of the period. Nil keeps the present value.
    public var willAutoRenew: Bool?
    /// Another product of the group. It takes effect immediately if it would with StoreKit (an upgrade, a crossgrade of
    /// the same length), else with the next renewal. The present product takes a scheduled change back.
    public var autoRenewProductIdentifier: String?
}

/// Changes the subscription of a transaction, of any customer, for support or tests.
public struct OperateSubscriptionRequest: Hashable, Sendable, Codable {
    /// An operation on a subscription.
    public enum Operation: String, CaseIterable, Sendable, Codable {
        /// The next renewal happens now. The new period begins where the present one ends. After a declined charge the
        /// present period goes on, and its end tries again.
        case renew
        /// The present period ends now, and the next renewal is due. Auto-renew is on afterwards, and a higher price
        /// that waits for consent is dropped. An answer about one counts. A declined charge begins grace or billing
        /// retry. A period that is paid and has not begun cannot be ended.
        case forceRenewal
        /// The present period ends now, for good.
        case expire
        case enableAutoRenew, disableAutoRenew
        /// The next charge of a renewal is declined.
        case failNextRenewal
        /// A failed renewal is tried again now. It succeeds unless the tester's charges are declined.
        case resolveBilling
        /// The subscriber is asked to agree to a higher price, which stays the present one. Without an agreement the
        /// subscription ends with its period. A question about a price that has risen stays as it is.
        case requestPriceConsent
        /// The present period ends later by `days`, 1…90.
        case extend
    }

    /// Any transaction of the subscription.
    public var transaction: ScopedIdentifier
    /// The operator's change, which the subscription's state must allow.
    public var operation: Operation
    /// For `extend` only.
    public var days: Int?
    /// For `expire` only. Nil for `other`.
    public var reason: Subscription.ExpirationReason?
}

/// The subscription after the operation. The transaction is the one it has made, or whose end it has moved, if any.
public struct OperateSubscriptionReply: Hashable, Sendable, Codable {
    /// In the state after the operation.
    public var subscription: Subscription
    /// The transaction that the operation has made, or whose end it has moved. Absent for neither, so also after
    /// `renew` and `resolveBilling` whose charge was not made.
    public var transaction: PaymentTransaction?
}

/// Asks for a refund, or a revocation without money (`revoke`), of any customer's transaction.
public struct RefundRequest: Hashable, Sendable, Codable {
    /// Apple's numbers: 0 other, 1 an issue with the app.
    public enum Reason: String, CaseIterable, Sendable, Codable { case other, appIssue }

    public var transaction: ScopedIdentifier
    /// Apple's reason for the receipt. Nil means `other`.
    public var reason: Reason?
}

/// Asks for a page of a subscription's timeline.
public struct TimelineRequest: Hashable, Sendable, Codable {
    /// Any transaction of the subscription.
    public var transaction: ScopedIdentifier
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…500.
    public var limit: Int = 100
}

/// A page of a subscription's events, oldest first.
public struct SubscriptionTimeline: Hashable, Sendable, Codable {
    /// As it is when the page is read.
    public var subscription: Subscription
    /// Oldest first, at most the request's `limit`.
    public var events: [SubscriptionEvent]
    /// The next page's `after`, absent on the last page.
    public var after: String?
}

/// Notes the revocations that a device's stream has sent. Snapshots no longer bring those up to this journal position.
public struct AcknowledgeRevocationsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The device whose stream has sent the revocations.
    public var deviceId: String
    /// The largest journal position sent.
    public var seq: Int64
}

/// Revoked entitlements of a customer, as a stream delivers them.
public struct Revocation: Hashable, Sendable, Codable {
    /// Its place in the customer's journal.
    public var seq: Int64
    /// The products the customer has lost.
    public var productIdentifiers: [String]
}
