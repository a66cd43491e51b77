import StoreModels

/// Products of an app and the customer's eligibility for their offers.
package enum ProductRoutes {
    /// Reads the products named in the query; none without `ids`.
    package static let list = HTTPEndpoint<Empty, ProductsResponse<Product>>(
        .get, "/v1/products", .app, query: ["ids"])
    /// Reads up to 500 products, named in the body.
    package static let query = HTTPEndpoint<ProductsQuery, ProductsResponse<Product>>(
        .post, "/v1/products/query", .app)
    /// Reads the customer's eligibility for introductory offers, by subscription.
    package static let eligibility = HTTPEndpoint<Empty, EligibilityReply>(
        .get, "/v1/eligibility", .app, query: ["ids"])
    /// Decides eligibility from a receipt instead of the customer's history.
    package static let eligibilityOfReceipt = HTTPEndpoint<ReceiptQuestion, EligibilityReply>(
        .post, "/v1/eligibility", .appOrServer, body: .receipt)

    static let all: [HTTPRoute] = [
        list.route, query.route, eligibility.route, eligibilityOfReceipt.route,
    ]
}
