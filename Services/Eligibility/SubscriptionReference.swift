import StoreModels

/// All that deciding needs of a product: which group's offer it has.
struct SubscriptionReference: Hashable, Sendable, Codable {
    let productIdentifier: String
    /// Nil for what is no auto-renewable subscription.
    let subscriptionGroupIdentifier: String?

    init(_ product: Product) {
        productIdentifier = product.productIdentifier
        subscriptionGroupIdentifier = product.subscriptionGroupIdentifier
    }
}
