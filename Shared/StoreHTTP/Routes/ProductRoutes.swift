import StoreModels

/// Products of an app and the customer's eligibility for their offers.
package enum ProductRoutes {
    /// Reads the products named in the query, localized and priced for the customer's storefront.
    ///
    /// Without `ids` it returns none, as an empty SKProductsRequest. GET /admin/v1/apps/{bundleId}/products returns
    /// all.
    package static let list = HTTPEndpoint<Empty, ProductsResponse<Product>>(
        "getProducts", .get, "/v1/products", .app,
        parameters: [.ids])
    /// Reads up to 500 products, named in the body.
    package static let query = HTTPEndpoint<ProductsQuery, ProductsResponse<Product>>(
        "queryProducts", .post, "/v1/products/query", .app)
    /// Reads the customer's eligibility for introductory offers, by subscription.
    package static let eligibility = HTTPEndpoint<Empty, EligibilityReply>(
        "getEligibility", .get, "/v1/eligibility", .app,
        parameters: [.ids])
    /// Decides eligibility from a receipt instead of the customer's history.
    ///
    /// The customer is the receipt's, and the answer is as the receipt knows. The body may have 1 MiB.
    package static let eligibilityOfReceipt = HTTPEndpoint<ReceiptQuestion, EligibilityReply>(
        "eligibilityFromReceipt", .post, "/v1/eligibility", .appOrServer,
        body: .receipt, errors: [.notFound, .receiptInvalid])

    static let all: [any HTTPOperation] = [
        list, query, eligibility, eligibilityOfReceipt,
    ]
}
