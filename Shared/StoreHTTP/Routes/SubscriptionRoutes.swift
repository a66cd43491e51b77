import StoreModels

/// Subscriptions of a customer, and of all customers for the operator.
package enum SubscriptionRoutes {
    /// Lists the session's customer's subscriptions, one per group.
    package static let list = HTTPEndpoint<Empty, SubscriptionsPage>(
        .get, "/v1/subscriptions", .app, query: .page)
    /// Cancels, resumes or changes the product of a subscription.
    package static let update = HTTPEndpoint<SubscriptionChange, Subscription>(
        .put, "/v1/subscriptions/{originalTransactionIdentifier}", .app)
    /// Asks the person about a higher price, or postpones that.
    package static let showPriceConsent = HTTPEndpoint<PriceConsentAnswer, Subscription>(
        .post, "/v1/subscriptions/{originalTransactionIdentifier}/price-consent", .app)
    /// Lists subscriptions across customers, for the operator.
    package static let search = HTTPEndpoint<Empty, SubscriptionsPage>(
        .get, "/admin/v1/subscriptions", .admin, query: ["bundleId", "account", "state", "after", "limit"])
    /// Lists a subscription's events, oldest first.
    package static let timeline = HTTPEndpoint<Empty, SubscriptionTimeline>(
        .get, "/admin/v1/subscriptions/{id}/timeline", .admin, query: .page)

    static let all: [HTTPRoute] = [
        list.route, update.route, showPriceConsent.route, search.route, timeline.route,
    ]
}
