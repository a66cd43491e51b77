import StoreModels

/// What a product costs in several storefronts, in the order they were asked for:
///
/// ```json
/// {"productIdentifier":"com.example.pro","prices":[
///   {"storefront":"FRA","available":true,"price":{"amount":"10.99","currency":"EUR"},"priceLocale":"fr_FR@currency=EUR"},
///   {"storefront":"CHN","available":false,"reasons":["storefrontUnavailable"]}]}
/// ```
struct ProductPrices: Hashable, Sendable, Codable {
    struct Price: Hashable, Sendable, Codable {
        var storefront: String
        var available: Bool
        var price: Money?
        var priceLocale: String?
        var introductoryPrice: ProductDiscount?
        var subscriptionPeriod: SubscriptionPeriod?
        /// Why it cannot be bought there.
        var reasons: [String]?
    }

    var productIdentifier: String
    var prices: [Price]

    init(productIdentifier: String, prices: [Price]) {
        self.productIdentifier = productIdentifier
        self.prices = prices
    }
}
