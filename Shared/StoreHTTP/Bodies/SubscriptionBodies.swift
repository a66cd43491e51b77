import StoreModels

/// The body of `PUT /v1/subscriptions/{originalTransactionIdentifier}`. Omitted members stay unchanged:
///
/// ```json
/// {"willAutoRenew":false}
/// ```
///
/// ```json
/// {"autoRenewProductIdentifier":"com.example.pro.yearly"}
/// ```
package struct SubscriptionChange: Hashable, Sendable, Codable {
    /// False cancels: the present period is the last.
    package var willAutoRenew: Bool?
    /// The product of the next renewal. The present product reverts a scheduled change.
    package var autoRenewProductIdentifier: String?
}

/// The body of `POST /v1/subscriptions/{originalTransactionIdentifier}/price-consent`: `{"show":true}`.
package struct PriceConsentBody: Hashable, Sendable, Codable {
    /// False postpones the question to the next launch.
    package var show: Bool
}

/// The body of `POST /admin/v1/transactions/{id}/extend`: `{"days":30}`.
package struct Extension: Hashable, Sendable, Codable {
    /// 1…90 days of business time, added to the present period.
    package var days: Int
}

/// The optional body of a refund or revocation, which may contain a reason: `{"reason":"appIssue"}`.
package struct RefundReason: Hashable, Sendable, Codable {
    /// Left out, it is `other`.
    package var reason: RefundRequest.Reason?
}

/// The body of `POST /admin/v1/transactions/{id}/refundRequest`: `{"reason":"UNINTENDED_PURCHASE"}`.
package struct RefundRequestBody: Hashable, Sendable, Codable {
    /// The `consumptionRequestReason` of the notification.
    package var reason: ConsumptionRequestReason
}

/// The body of `POST /admin/v1/refundRequests/{refundRequestIdentifier}/grant`:
/// `{"type":"REFUND_PRORATED","percentage":50000}`.
package struct RefundShare: Hashable, Sendable, Codable {
    /// Left out, it is `REFUND_FULL`.
    package var type: RevocationType?
    /// Thousandths of a percent of the price. It is for `REFUND_PRORATED`, which needs it.
    package var percentage: Int?
}
