import StoreHTTP
import StoreModels

extension ProductPrices.Price {
    init(_ product: Product, in storefront: String) {
        self.init(
            storefront: storefront, available: true, price: product.price, priceLocale: product.priceLocale,
            introductoryPrice: product.introductoryPrice, subscriptionPeriod: product.subscriptionPeriod)
    }

    init(_ explanation: ProductExplanation) {
        self.init(
            storefront: explanation.storefront, available: false, reasons: explanation.reasons.map(\.rawValue))
    }
}
