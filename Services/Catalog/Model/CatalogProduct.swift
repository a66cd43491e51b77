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

/// An offer of any kind, as its file describes it.
struct CatalogOffer: Hashable, Sendable {
    /// Nil for the introductory offer. Offer codes have their reference name.
    let identifier: String?
    let paymentMode: ProductDiscount.PaymentMode
    /// Price of one charge; zero for a free trial.
    let prices: StorefrontPrices
    let period: SubscriptionPeriod
    let numberOfPeriods: Int
}

/// A win-back offer or an offer code as its file describes it.
struct CatalogRedeemableOffer: Hashable, Sendable {
    let type: RedeemableOffer.Kind
    let offer: CatalogOffer
    /// Audiences of an offer code.
    var audiences: [RedeemableOffer.Audience]?
    /// Only for offer codes.
    var isStackable: Bool?
    /// Only for win-back offers.
    var winBack: RedeemableOffer.WinBackConditions?
}

/// Content that the store hosts for a product, as a catalogue file declares it: `{"version":"1.0","lengths":[1048576]}`
struct DeclaredContent: Hashable, Sendable {
    /// Integers separated by points, as `SKDownload.contentVersion`.
    let version: String
    /// Length in bytes; a product has one package.
    let length: Int64
}
