/// Products of an app and the customer's eligibility for their offers.
package enum ProductRoutes {
    package static let list = HTTPRoute(.get, "/v1/products", .app, query: ["ids"])
    package static let query = HTTPRoute(.post, "/v1/products/query", .app)
    package static let eligibility = HTTPRoute(.get, "/v1/eligibility", .app, query: ["ids"])
    package static let eligibilityOfReceipt = HTTPRoute(.post, "/v1/eligibility", .appOrServer)

    static let all: [HTTPRoute] = [list, query, eligibility, eligibilityOfReceipt]
}
