/// Apple's `notificationType` of version 2.
public enum NotificationType: String, CaseIterable, Sendable, Codable {
    case subscribed = "SUBSCRIBED"
    case didRenew = "DID_RENEW"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case offerRedeemed = "OFFER_REDEEMED"
    case expired = "EXPIRED"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
    case priceIncrease = "PRICE_INCREASE"
    case refund = "REFUND"
    case refundDeclined = "REFUND_DECLINED"
    case refundReversed = "REFUND_REVERSED"
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case renewalExtended = "RENEWAL_EXTENDED"
    case renewalExtension = "RENEWAL_EXTENSION"
    case revoke = "REVOKE"
    case oneTimeCharge = "ONE_TIME_CHARGE"
    case test = "TEST"
    /// Apple sends these too. Here only an operator's trigger does.
    case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
    case rescindConsent = "RESCIND_CONSENT"
    case priceChange = "PRICE_CHANGE"
    case metadataUpdate = "METADATA_UPDATE"
    case migration = "MIGRATION"

    /// The subtypes that go with the type. Nil means without a subtype.
    public var subtypes: [NotificationSubtype?] {
        switch self {
        case .subscribed: [.initialBuy, .resubscribe]
        case .didRenew: [nil, .billingRecovery]
        case .didChangeRenewalPref, .offerRedeemed: [nil, .upgrade, .downgrade]
        case .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled]
        case .expired: [nil, .voluntary, .billingRetry, .priceIncrease, .productNotForSale]
        case .didFailToRenew: [nil, .gracePeriod]
        case .priceIncrease: [.pending, .accepted]
        case .renewalExtension: [.summary, .failure]
        case .externalPurchaseToken: [.created, .unreported, .activeTokenReminder]
        case .gracePeriodExpired, .refund, .refundDeclined, .refundReversed, .consumptionRequest, .renewalExtended,
            .revoke, .oneTimeCharge, .test, .rescindConsent, .priceChange, .metadataUpdate, .migration:
            [nil]
        }
    }
}

/// Apple's `subtype` of a notification of version 2.
public enum NotificationSubtype: String, CaseIterable, Sendable, Codable {
    case initialBuy = "INITIAL_BUY"
    case resubscribe = "RESUBSCRIBE"
    case billingRecovery = "BILLING_RECOVERY"
    case upgrade = "UPGRADE"
    case downgrade = "DOWNGRADE"
    case autoRenewEnabled = "AUTO_RENEW_ENABLED"
    case autoRenewDisabled = "AUTO_RENEW_DISABLED"
    case voluntary = "VOLUNTARY"
    case billingRetry = "BILLING_RETRY"
    case priceIncrease = "PRICE_INCREASE"
    case productNotForSale = "PRODUCT_NOT_FOR_SALE"
    case gracePeriod = "GRACE_PERIOD"
    case pending = "PENDING"
    case accepted = "ACCEPTED"
    case summary = "SUMMARY"
    case failure = "FAILURE"
    case created = "CREATED"
    case unreported = "UNREPORTED"
    case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
}
