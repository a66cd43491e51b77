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
    /// `_timeRate`, when it is what makes ``testerDefaults`` renew faster.
    var timeRate: Int?
    /// Keys that promotional offers may be signed with, public halves.
    var offerKeys: [SubscriptionOfferKey] = []
    /// Where the file has a private key; no answer has these bytes.
    var secrets: [Range<Int>] = []
    /// A stored file that could not be read at the start: there are no products, and the operator is told.
    var isUnreadable = false

    /// Before the first import.
    static let empty = Catalog(products: [], subscriptionGroupCount: 0, defaultLocale: nil)

    /// - Parameter bytes: the file, whose secrets stay what they are.
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
