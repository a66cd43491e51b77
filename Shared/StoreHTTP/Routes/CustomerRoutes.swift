/// One customer, as the app's server asks.
package enum CustomerRoutes {
    package static let history = HTTPRoute(.get, "/v1/customers/{account}/history", .server, query: .page)
    package static let eligibility = HTTPRoute(.get, "/v1/customers/{account}/eligibility", .server, query: ["ids"])
    package static let subscriptions = HTTPRoute(.get, "/v1/customers/{account}/subscriptions", .server, query: .page)

    static let all: [HTTPRoute] = [history, eligibility, subscriptions]
}
