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

extension TriggerNotificationBody: CheckedBody {
    /// Whether nothing in the store brings it about, or nothing is to.
    package var isOnlySent: Bool {
        switch notificationType {
        // A TEST's cause is the request for it, and the store has no state that the other two could tell of.
        case .test, .externalPurchaseToken, .rescindConsent: true
        default: onlySend == true
        }
    }

    /// Whether it is about something that a customer has bought.
    package var isAboutPurchase: Bool {
        switch notificationType {
        case .test, .externalPurchaseToken, .rescindConsent: false
        default: true
        }
    }

    /// The types of products that it can be about. Nil for all.
    package var products: [ProductType]? {
        switch notificationType {
        case .subscribed, .didRenew, .didChangeRenewalPref, .didChangeRenewalStatus, .offerRedeemed, .expired,
            .didFailToRenew, .gracePeriodExpired, .priceIncrease, .renewalExtended, .renewalExtension:
            [.autoRenewable]
        case .oneTimeCharge: [.consumable, .nonConsumable, .nonRenewable]
        default: nil
        }
    }

    /// Selects the transactions that it can be about.
    package var filter: ServerTransactionFilter {
        var filter = ServerTransactionFilter()
        filter.types = products
        return filter
    }

    package func isAbout(_ type: ProductType) -> Bool { isAboutPurchase && products?.contains(type) ?? true }

    /// The noun for its object, in an error.
    package var object: String {
        guard isAboutPurchase else { return "needed" }
        guard let products else { return "transaction" }
        return products == [.autoRenewable] ? "subscription" : "transaction outside subscriptions"
    }

    package func validate() throws(StoreError) {
        switch notificationType {
        case .priceChange, .metadataUpdate, .migration:
            throw .invalid(
                "$.notificationType",
                "\(notificationType.rawValue) belongs to Advanced Commerce, which this store does not have", status: 422
            )
        default: break
        }
        let allowed = notificationType.subtypes
        guard allowed.contains(subtype) else {
            let names = allowed.map { $0?.rawValue ?? "none" }.joined(separator: ", ")
            throw .invalid("$.subtype", "of \(notificationType.rawValue) must be one of: \(names)")
        }
        if let account { try Self.check(IdentifierRule.account.fault(in: account), at: "$.account") }
        if let productIdentifier {
            guard !isOnlySent else {
                throw .invalid("$.productIdentifier", "must be left out: a notification that is only sent buys nothing")
            }
            try Self.check(IdentifierRule.product.fault(in: productIdentifier), at: "$.productIdentifier")
        }
        guard isOnlySent || set == nil else { throw Self.onlySent("$.set") }
        guard isOnlySent || self.break == nil else { throw Self.onlySent("$.break") }
        if let of {
            guard isAboutPurchase else {
                throw .invalid("$.of", "must be left out: a \(notificationType.rawValue) is about no transaction")
            }
            try Self.check(IdentifierRule.fault(in: of, lengthMax: Self.identifierLengthMax), at: "$.of")
        }
        let isAboutNoCustomer = !isAboutPurchase || notificationType == .renewalExtension && subtype == .summary
        guard !isOnlySent || isAboutNoCustomer || account != nil || of != nil else {
            throw .invalid(
                "$.account", "is missing: a \(notificationType.rawValue) is about an account's purchase")
        }
    }

    /// Maximum length of an identifier, in characters, as of any text from clients that has no other limit.
    private static let identifierLengthMax = 255

    private static func check(_ fault: String?, at path: String) throws(StoreError) {
        if let fault { throw .invalid(path, fault) }
    }

    private static func onlySent(_ path: String) -> StoreError {
        .invalid(
            path, "changes only a notification without an event; add onlySend")
    }
}
