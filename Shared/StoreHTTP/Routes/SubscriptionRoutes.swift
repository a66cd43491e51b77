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

    static let all: [any HTTPOperation] = [
        list, update, showPriceConsent, search, timeline,
    ]
}
