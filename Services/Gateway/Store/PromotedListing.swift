import StoreModels

/// The promoted products of an app in one storefront, to be arranged for any device.
struct PromotedListing: Sendable {
    typealias Reply = PromotedProductsReplyOf<PromotedProduct>

    let arrangement: PromotionArrangement
    /// The app's entries of the featured tab, in its order.
    let featured: [String]
    let appName: String
    /// The promoted subscriptions, for the request to Eligibility.
    let subscriptions: [String]
    private let products: [ExactText: PromotedProduct]

    init(_ reply: Reply) {
        arrangement = PromotionArrangement(
            promoted: reply.products.map(\.productIdentifier), hidden: reply.hiddenProductIdentifiers)
        featured = reply.featuredProductIdentifiers
        appName = reply.appName
        subscriptions = reply.products.filter { $0.type == .autoRenewable }.map(\.productIdentifier)
        products = Dictionary(exactly: reply.products.map { ($0.productIdentifier, $0) })
    }

    subscript(productIdentifier: String) -> PromotedProduct? { products[productIdentifier] }
}
