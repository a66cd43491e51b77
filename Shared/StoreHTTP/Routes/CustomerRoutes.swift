import StoreModels

/// One customer, as the app's server asks.
package enum CustomerRoutes {
    /// Lists an account's purchases in the key's app, oldest first.
    ///
    /// The client may keep an `after`: transactions that end later come behind it.
    package static let history = HTTPEndpoint<Empty, TransactionsPage>(
        "getCustomerHistory", .get, "/v1/customers/{account}/history", .server,
        parameters: .page)
    /// Reads an account's eligibility for introductory offers.
    package static let eligibility = HTTPEndpoint<Empty, EligibilityReply>(
        "getCustomerEligibility", .get, "/v1/customers/{account}/eligibility", .server,
        parameters: [.ids])
    /// Lists an account's subscriptions in the key's app.
    package static let subscriptions = HTTPEndpoint<Empty, SubscriptionsPage>(
        "getCustomerSubscriptions", .get, "/v1/customers/{account}/subscriptions", .server,
        parameters: .page)
}
