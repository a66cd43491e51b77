import StoreModels

/// A product as its file describes it, for all storefronts.
struct CatalogProduct: Hashable, Sendable {
    /// A product's texts in one language.
    struct Localization: Hashable, Sendable {
        let locale: LocaleName
        let title: String
        let description: String
    }

    /// Members that only auto-renewable subscriptions have.
    struct Subscription: Hashable, Sendable {
        let groupIdentifier: String
        /// 1 is the highest service.
        let level: Int
        let period: SubscriptionPeriod
        let introductoryOffer: CatalogOffer?
        let promotionalOffers: [CatalogOffer]
        /// Offer codes and win-back offers.
        let redeemableOffers: [CatalogRedeemableOffer]
    }

    let productIdentifier: String
    let type: ProductType
    /// The operator's name for it, shown when no localization has a title.
    let referenceName: String
    let prices: StorefrontPrices
    /// In the file's order.
    let localizations: [Localization]
    let isFamilyShareable: Bool
    let subscription: Subscription?
    let conditions: SaleConditions
}
