import StoreModels

/// A product as its file describes it, for all storefronts.
struct CatalogProduct: Hashable, Sendable {
    /// A product's texts in one language.
    struct Localization: Hashable, Sendable {
        let locale: LocaleName
        let title: String
        let description: String
    }

    /// The members that only auto-renewable subscriptions have.
    struct Subscription: Hashable, Sendable {
        let groupIdentifier: String
        /// The level of service in the group. 1 is the highest.
        let level: Int
        let period: SubscriptionPeriod
        let introductoryOffer: CatalogOffer?
        let promotionalOffers: [CatalogOffer]
        /// The offer codes and win-back offers.
        let redeemableOffers: [CatalogRedeemableOffer]
    }

    let productIdentifier: String
    let type: ProductType
    /// The operator's name of the product, shown when no localization has a title.
    let referenceName: String
    let prices: StorefrontPrices
    /// The texts in the file's order.
    let localizations: [Localization]
    let isFamilyShareable: Bool
    let subscription: Subscription?
    let conditions: SaleConditions
}

/// An offer of any kind, as its file describes it.
struct CatalogOffer: Hashable, Sendable {
    /// The identifier. Nil for the introductory offer, the reference name for an offer code.
    let identifier: String?
    let paymentMode: ProductDiscount.PaymentMode
    /// The price of one charge. Zero for a free trial.
    let prices: StorefrontPrices
    let period: SubscriptionPeriod
    let numberOfPeriods: Int
}

/// A win-back offer or an offer code as its file describes it.
struct CatalogRedeemableOffer: Hashable, Sendable {
    let type: RedeemableOffer.Kind
    let offer: CatalogOffer
    /// The audiences of an offer code. Nil for all customers and for other offers.
    var audiences: [RedeemableOffer.Audience]?
    /// Whether an offer code is stackable. Nil for other offers.
    var isStackable: Bool?
    /// The conditions of a win-back offer. Nil for other offers.
    var winBack: RedeemableOffer.WinBackConditions?
}

/// A product's hosted content, as a catalogue file declares it: `{"version":"1.0","lengths":[1048576]}`
struct DeclaredContent: Hashable, Sendable {
    /// The version: integers separated by points, as `SKDownload.contentVersion`.
    let version: String
    /// The length in bytes. A product has one package.
    let length: Int64
}
