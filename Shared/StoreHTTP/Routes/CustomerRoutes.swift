import StoreModels

/// One customer, as the app's server asks.
package enum CustomerRoutes {
    package static let history = HTTPEndpoint<Empty, TransactionsPage>(
        .get, "/v1/customers/{account}/history", .server, query: .page)
    package static let eligibility = HTTPEndpoint<Empty, EligibilityReply>(
        .get, "/v1/customers/{account}/eligibility", .server, query: ["ids"])
    package static let subscriptions = HTTPEndpoint<Empty, SubscriptionsPage>(
        .get, "/v1/customers/{account}/subscriptions", .server, query: .page)

    static let all: [HTTPRoute] = [
        history.route, eligibility.route, subscriptions.route,
    ]
}
