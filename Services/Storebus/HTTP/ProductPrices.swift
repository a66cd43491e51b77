import StoreModels

/// What a product costs in several storefronts, in the order they were asked for:
///
/// ```json
/// {"productIdentifier":"com.example.pro","prices":[
///   {"storefront":"FRA","available":true,"price":{"amount":"10.99","currency":"EUR"},"priceLocale":"fr_FR@currency=EUR"},
///   {"storefront":"CHN","available":false,"reasons":["storefrontUnavailable"]}]}
/// ```
package struct ProductPrices: Hashable, Sendable, Codable {
    package struct Price: Hashable, Sendable, Codable {
        package var storefront: String
        package var available: Bool
        package var price: Money?
        package var priceLocale: String?
        package var introductoryPrice: ProductDiscount?
        package var subscriptionPeriod: SubscriptionPeriod?
        /// Why it cannot be bought there.
        package var reasons: [String]?

        package init(
            storefront: String, available: Bool, price: Money? = nil, priceLocale: String? = nil,
            introductoryPrice: ProductDiscount? = nil, subscriptionPeriod: SubscriptionPeriod? = nil,
            reasons: [String]? = nil
        ) {
            self.storefront = storefront
            self.available = available
            self.price = price
            self.priceLocale = priceLocale
            self.introductoryPrice = introductoryPrice
            self.subscriptionPeriod = subscriptionPeriod
            self.reasons = reasons
        }
    }

    package var productIdentifier: String
    package var prices: [Price]

    package init(productIdentifier: String, prices: [Price]) {
        self.productIdentifier = productIdentifier
        self.prices = prices
    }
}
