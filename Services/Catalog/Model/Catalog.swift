import StoreModels

/// One version of an app's catalogue, read from its file; never changed afterwards.
struct Catalog: Hashable, Sendable {
    /// In the file's order: products, non-renewing subscriptions, then the groups' subscriptions.
    let products: [CatalogProduct]
    /// Groups, also those without a subscription.
    let subscriptionGroupCount: Int
    /// The language of texts where a storefront's own is missing; nil: each product's first.
    let defaultLocale: LocaleName?
    /// What the file's `settings` make testers do.
    var testerDefaults: TesterSettings?
    /// A stored file that could not be read at the start: there are no products, and the operator is told.
    var isUnreadable = false

    /// Before the first import.
    static let empty = Catalog(products: [], subscriptionGroupCount: 0, defaultLocale: nil)

    static let unreadable = Catalog(products: [], subscriptionGroupCount: 0, defaultLocale: nil, isUnreadable: true)

    var introductoryOfferCount: Int { products.count { $0.subscription?.introductoryOffer != nil } }
}
