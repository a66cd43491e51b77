import StoreModels

/// Subscriptions of a customer, and of all customers for the operator.
package enum SubscriptionRoutes {
    package static let list = HTTPEndpoint<Empty, SubscriptionsPage>(
        .get, "/v1/subscriptions", .app, query: .page)
    package static let update = HTTPEndpoint<SubscriptionChange, Subscription>(
        .put, "/v1/subscriptions/{originalTransactionIdentifier}", .app)
    package static let showPriceConsent = HTTPEndpoint<PriceConsentAnswer, Subscription>(
        .post, "/v1/subscriptions/{originalTransactionIdentifier}/price-consent", .app)
    package static let search = HTTPEndpoint<Empty, SubscriptionsPage>(
        .get, "/admin/v1/subscriptions", .admin, query: ["bundleId", "account", "state", "after", "limit"])
    package static let timeline = HTTPEndpoint<Empty, SubscriptionTimeline>(
        .get, "/admin/v1/subscriptions/{id}/timeline", .admin, query: .page)

    static let all: [HTTPRoute] = [
        list.route, update.route, showPriceConsent.route, search.route, timeline.route,
    ]
}
