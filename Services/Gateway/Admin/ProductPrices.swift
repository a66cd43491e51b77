import StoreModels

/// What a product costs in several storefronts, in the order they were asked for:
///
/// ```json
/// {"productIdentifier":"com.example.pro","prices":[
///   {"storefront":"FRA","available":true,"price":{"amount":"10.99","currency":"EUR"},
///    "priceLocale":"fr_FR@currency=EUR"},
///   {"storefront":"CHN","available":false,"reasons":["storefrontUnavailable"]}]}
/// ```
struct ProductPrices: Encodable {
    struct Price: Encodable {
        var storefront: String
        var available: Bool
        var price: Money?
        var priceLocale: String?
        var subscriptionPeriod: SubscriptionPeriod?
        var introductoryPrice: ProductDiscount?
        /// Why it cannot be bought there; absent where it can.
        var reasons: [ProductExplanation.Reason]?

        init(_ product: Product, in storefront: String) {
            self.storefront = storefront
            available = true
            price = product.price
            priceLocale = product.priceLocale
            subscriptionPeriod = product.subscriptionPeriod
            introductoryPrice = product.introductoryPrice
        }

        init(_ explanation: ProductExplanation) {
            storefront = explanation.storefront
            available = false
            reasons = explanation.reasons
        }
    }

    var productIdentifier: String
    var prices: [Price]
}
