import StoreModels

/// Products of an app and the customer's eligibility for their offers.
package enum ProductRoutes {
    /// Reads the products named in the query, localized and priced for the customer's storefront.
    ///
    /// Without `ids` it returns none, as an empty SKProductsRequest. GET /admin/v1/apps/{bundleId}/products returns
    /// all.
    package static let list = HTTPEndpoint<Empty, ProductsResponse<Product>>(
        "getProducts", .get, "/v1/products", .app,
        parameters: [.ids, .language])
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
}

/// The body of `POST /v1/products/query`:
///
/// ```json
/// {"productIdentifiers":["com.example.hiddenBeaches","com.example.pro.monthly"]}
/// ```
package struct ProductsQuery: Hashable, Sendable, Codable {
    /// At most 500. Duplicates count once.
    package var productIdentifiers: [String]
    /// The preferred language of texts, such as `fr` or `pt_BR`. Where the catalogue lacks it, and without it, texts are
    /// in the storefront's language.
    package var language: String?
}

/// The response of `POST /v1/products/query`:
///
/// ```json
/// {"products":[…],"invalidProductIdentifiers":["x"],"degraded":["eligibility"]}
/// ```
/// The gateway forwards each product's JSON, clients read it as `Product`.
package struct ProductsResponse<Item: Sendable>: Sendable {
    /// Requested products on sale in the customer's storefront.
    package var products: [Item]
    /// Requested identifiers that are not on sale there.
    package var invalidProductIdentifiers: [String]
    /// Services the response had to do without.
    package var degraded: [String]?
}

extension ProductsResponse: Encodable where Item: Encodable {}
extension ProductsResponse: Decodable where Item: Decodable {}
extension ProductsResponse: JSONForm where Item: JSONForm { package typealias Body = ProductsResponse<Item.Body> }
extension ProductsResponse: Equatable where Item: Equatable {}
extension ProductsResponse: Hashable where Item: Hashable {}

/// A page of the operator's list of products: `{"products":[…],"after":"com.example.b"}`.
package struct ProductsPageResponse: Hashable, Sendable, Codable {
    /// Products on sale in the requested storefront, in the catalogue's order.
    package var products: [Product]
    /// Absent on the last page.
    package var after: String?
}

/// The body of `POST /v1/eligibility`:
///
/// ```json
/// {"receiptData":"TUlJ","productIdentifiers":["com.example.pro.monthly"]}
/// ```
package struct ReceiptQuestion: Hashable, Sendable, Codable {
    /// Base64, as `GET /v1/receipt` gives it.
    package var receiptData: String
    /// Limits the reply to these. Without it the reply has every subscription of the app.
    package var productIdentifiers: [String]?
}

/// The price of a product in several storefronts, in the order they were asked for:
///
/// ```json
/// {"productIdentifier":"com.example.pro","prices":[
///   {"storefront":"FRA","available":true,"price":{"amount":"10.99","currency":"EUR"},
///    "priceLocale":"fr_FR@currency=EUR"},
///   {"storefront":"CHN","available":false,"reasons":["storefrontUnavailable"]}]}
/// ```
package struct ProductPrices: Hashable, Sendable, Codable {
    /// The price in one storefront.
    package struct Price: Hashable, Sendable, Codable {
        /// Alpha-3 country code.
        package var storefront: String
        /// Whether a customer of the storefront can buy the product now.
        package var available: Bool
        /// In the storefront's currency. Absent where the product cannot be bought.
        package var price: Money?
        /// As `Product.priceLocale`. Absent where the product cannot be bought.
        package var priceLocale: String?
        /// Absent when the subscription has none, and for other products.
        package var introductoryPrice: ProductDiscount?
        /// Absent for products other than auto-renewable subscriptions.
        package var subscriptionPeriod: SubscriptionPeriod?
        /// Why the product cannot be bought there. Absent where it can.
        package var reasons: [String]?
    }

    /// The product of the request's path.
    package var productIdentifier: String
    /// In the order of the requested storefronts, or of all storefronts when none was requested.
    package var prices: [Price]
}
