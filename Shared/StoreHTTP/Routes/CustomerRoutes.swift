import StoreModels

/// One customer, as the app's server asks.
package enum CustomerRoutes {
    /// Lists an account's purchases in the key's app, oldest first.
    package static let history = HTTPEndpoint<Empty, TransactionsPage>(
        .get, "/v1/customers/{account}/history", .server, query: .page)
    /// Reads an account's eligibility for introductory offers.
    package static let eligibility = HTTPEndpoint<Empty, EligibilityReply>(
        .get, "/v1/customers/{account}/eligibility", .server, query: ["ids"])
    /// Lists an account's subscriptions in the key's app.
    package static let subscriptions = HTTPEndpoint<Empty, SubscriptionsPage>(
        .get, "/v1/customers/{account}/subscriptions", .server, query: .page)

    static let all: [HTTPRoute] = [
        history.route, eligibility.route, subscriptions.route,
    ]
}
