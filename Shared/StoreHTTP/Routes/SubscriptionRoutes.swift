import StoreModels

/// Subscriptions of a customer, and of all customers for the operator.
package enum SubscriptionRoutes {
    /// Lists the session's customer's subscriptions, one per group.
    package static let list = HTTPEndpoint<Empty, SubscriptionsPage>(
        "getSubscriptions", .get, "/v1/subscriptions", .app,
        parameters: .page,
        responses: [
            .ok(links: [
                Link(
                    "change", to: "putSubscription",
                    ["originalTransactionIdentifier": "$response.body#/subscriptions/0/originalTransactionIdentifier"],
                    "Cancel, or change the product")
            ])
        ])
    /// Cancels, resumes or changes the product of a subscription with the next renewal, or reverts a change.
    package static let update = HTTPEndpoint<SubscriptionChange, Subscription>(
        "putSubscription", .put, "/v1/subscriptions/{originalTransactionIdentifier}", .app,
        errors: [.subscriptionNotFound, .transactionState, .changeRefused, .outcomeUnknown])
    /// Asks the person about a higher price, or postpones that.
    ///
    /// The app's delegate says so by paymentQueueShouldShowPriceConsent(_:) and showPriceConsentIfNeeded(). Without an
    /// increase that waits for consent nothing happens.
    package static let showPriceConsent = HTTPEndpoint<PriceConsentBody, Subscription>(
        "showPriceConsent", .post, "/v1/subscriptions/{originalTransactionIdentifier}/price-consent", .app,
        errors: [.subscriptionNotFound])
    /// Lists subscriptions across customers, for the operator.
    package static let search = HTTPEndpoint<Empty, SubscriptionsPage>(
        "listSubscriptions", .get, "/admin/v1/subscriptions", .admin,
        parameters: [
            .ofBundleId, .ofAccount, .state(SubscriptionState.self, as: "subscriptionState", example: "subscribed"),
            .after, .limit,
        ],
        responses: [
            .ok(links: [
                Link(
                    "timeline", to: "getTimeline", ["id": "$response.body#/subscriptions/0/id"],
                    "Its events")
            ])
        ])
    /// Lists a subscription's events, oldest first.
    package static let timeline = HTTPEndpoint<Empty, SubscriptionTimeline>(
        "getTimeline", .get, "/admin/v1/subscriptions/{id}/timeline", .admin,
        parameters: [.timelinePosition, .adminLimit])
}

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
