import StoreModels

/// The body of `POST /admin/v1/apps/{bundleId}/notifications/trigger`: `{"notificationType":"REFUND"}`.
///
/// ```json
/// {"notificationType":"EXPIRED","subtype":"VOLUNTARY","account":"alice","onlySend":true,"set":{"version":"3.0"}}
/// ```
///
/// ```json
/// {"notificationType":"TEST","break":"tampered"}
/// ```
package struct TriggerNotificationBody: Hashable, Sendable, Codable {
    package var notificationType: NotificationType
    /// A subtype that goes with the type.
    package var subtype: NotificationSubtype?
    /// The account that the event happens to. Absent for a new account, or for the account of `of`.
    package var account: String?
    /// The transaction that the event happens to. Absent for one of the account's, or for a new purchase.
    package var of: String?
    /// The product to buy. Absent for any that fits.
    package var productIdentifier: String?
    /// Whether the notification is only sent, about the account's latest transaction or that of `of`, and nothing
    /// happens in the store.
    package var onlySend: Bool?
    /// Members to replace in the payload of a notification that is only sent. Null removes one.
    package var set: [String: JSONValue]?
    /// The fault of the signature of a notification that is only sent. Absent for a good one.
    package var `break`: BrokenSignature?
}

/// The response of `POST /admin/v1/apps/{bundleId}/notifications/trigger`: the notification's members, and `cause`.
package struct TriggerResponse: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey { case cause }

    package var notification: ServerNotification
    /// The cause of the event. Absent for a notification that was only sent.
    package var cause: TriggerCause?

    package init(from decoder: any Decoder) throws {
        notification = try ServerNotification(from: decoder)
        cause = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(TriggerCause.self, forKey: .cause)
    }

    package func encode(to encoder: any Encoder) throws {
        try notification.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(cause, forKey: .cause)
    }
}

/// The operations that a trigger did in the store.
package struct TriggerCause: Hashable, Sendable, Codable {
    /// The account it happened to.
    package var account: String
    /// Whether the trigger made the account.
    package var isNewAccount: Bool
    /// The operations in order.
    package var steps: [TriggerStep]
    /// The state before the event. Absent when nothing was bought before it.
    package let before: TriggerState?
    /// The state after the event.
    package var after: TriggerState
}

/// One thing that a trigger did: `{"action":"refund","transactionIdentifier":"2000000000000001"}`.
package struct TriggerStep: Hashable, Sendable, Codable {
    /// An operation of the store.
    package enum Action: String, CaseIterable, Sendable, Codable {
        /// The account's settings were replaced. At the end they are put back, unless the account is new.
        case settings
        case purchase
        /// A purchase that is dated back.
        case pastPurchase
        /// Another product for the next renewal.
        case renewalPreference
        case renew, expire, enableAutoRenew, disableAutoRenew, resolveBilling, extend
        case refund, reverseRefund, revoke, requestRefund, declineRefund
        /// An extension of the product's subscriptions, limited to this one.
        case extendAll
    }

    package var action: Action
    /// The product that was bought or chosen.
    package var productIdentifier: String?
    /// The offer of a purchase.
    package var offer: RedeemedOffer?
    /// The transaction that it made or concerned.
    package var transactionIdentifier: String?
    /// The date of a purchase.
    package var at: Timestamp?
    /// The reason of an expiry.
    package var reason: Subscription.ExpirationReason?
    /// The settings of the account.
    package var settings: TesterSettings?
    /// The request for a refund that was opened or declined.
    package var refundRequestIdentifier: String?

    package init(_ action: Action) { self.action = action }
}

/// A purchase and its subscription at an instant.
package struct TriggerState: Hashable, Sendable, Codable {
    package var transaction: PaymentTransaction
    /// Absent for a purchase outside subscriptions, and before the subscription was looked at.
    package var subscription: Subscription?
}
