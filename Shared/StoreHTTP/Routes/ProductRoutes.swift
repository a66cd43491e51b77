import StoreModels

/// Products of an app and the customer's eligibility for their offers.
package enum ProductRoutes {
    package static let list = HTTPEndpoint<Empty, ProductsResponse<Product>>(
        .get, "/v1/products", .app, query: ["ids"])
    package static let query = HTTPEndpoint<ProductsQuery, ProductsResponse<Product>>(
        .post, "/v1/products/query", .app)
    package static let eligibility = HTTPEndpoint<Empty, EligibilityReply>(
        .get, "/v1/eligibility", .app, query: ["ids"])
    package static let eligibilityOfReceipt = HTTPEndpoint<ReceiptQuestion, EligibilityReply>(
        .post, "/v1/eligibility", .appOrServer)

    static let all: [HTTPRoute] = [
        list.route, query.route, eligibility.route, eligibilityOfReceipt.route,
    ]
}
