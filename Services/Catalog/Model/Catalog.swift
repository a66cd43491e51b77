import StoreModels

/// One immutable version of an app's catalogue, read from its file.
struct Catalog: Hashable, Sendable {
    /// The products in the file's order: products, non-renewing subscriptions, then the groups' subscriptions.
    let products: [CatalogProduct]
    /// The number of groups, including those without a subscription.
    let subscriptionGroupCount: Int
    /// The language of texts if a storefront's languages are missing. Nil uses each product's first.
    let defaultLocale: LocaleName?
    /// The testers' defaults from the file's `settings`.
    var testerDefaults: TesterSettings?
    /// `_timeRate`, when it makes ``testerDefaults`` renew faster.
    var timeRate: Int?
    /// The public keys for verifying promotional offers.
    var offerKeys: [SubscriptionOfferKey] = []
    /// The byte ranges of private keys in the file. Replies leave these bytes out.
    var secrets: [Range<Int>] = []
    /// Whether the stored file could not be read. Then the catalogue has no products, and the service's health names
    /// the app.
    var isUnreadable = false

    /// The catalogue before the first import.
    static let empty = Catalog(products: [], subscriptionGroupCount: 0, defaultLocale: nil)

    /// Creates the catalogue of an unreadable file.
    /// - Parameter bytes: The file, whose secrets stay masked.
    static func unreadable(_ bytes: [UInt8]) -> Catalog {
        var catalog = Catalog.empty
        catalog.isUnreadable = true
        catalog.secrets = FileSecrets.ranges(in: bytes)
        return catalog
    }

    var introductoryOfferCount: Int { subscriptions.count { $0.introductoryOffer != nil } }
    var promotionalOfferCount: Int { subscriptions.reduce(0) { $0 + $1.promotionalOffers.count } }
    func redeemableOfferCount(_ type: RedeemableOffer.Kind) -> Int {
        subscriptions.reduce(0) { $0 + $1.redeemableOffers.count { $0.type == type } }
    }

    private var subscriptions: some Sequence<CatalogProduct.Subscription> { products.lazy.compactMap(\.subscription) }
}
