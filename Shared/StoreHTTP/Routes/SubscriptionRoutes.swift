/// Subscriptions of a customer, and of all customers for the operator.
package enum SubscriptionRoutes {
    package static let list = HTTPRoute(.get, "/v1/subscriptions", .app, query: .page)
    package static let update = HTTPRoute(.put, "/v1/subscriptions/{originalTransactionIdentifier}", .app)
    package static let showPriceConsent = HTTPRoute(
        .post, "/v1/subscriptions/{originalTransactionIdentifier}/price-consent", .app)
    package static let search = HTTPRoute(
        .get, "/admin/v1/subscriptions", .admin, query: ["bundleId", "account", "state", "after", "limit"])
    package static let timeline = HTTPRoute(.get, "/admin/v1/subscriptions/{id}/timeline", .admin, query: .page)

    static let all: [HTTPRoute] = [list, update, showPriceConsent, search, timeline]
}
