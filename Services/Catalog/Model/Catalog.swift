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

/// A product as its file describes it, for all storefronts.
struct CatalogProduct: Hashable, Sendable {
    /// The texts of a product or a subscription group in one language.
    struct Localization: Hashable, Sendable {
        let locale: LocaleName
        let title: String
        let description: String
    }

    /// The members that only auto-renewable subscriptions have.
    struct Subscription: Hashable, Sendable {
        let groupIdentifier: String
        /// The operator's name of the group, shown when no localization has a title.
        let groupReferenceName: String
        /// The group's texts in the file's order.
        let groupLocalizations: [Localization]
        /// The level of service in the group. 1 is the highest.
        let level: Int
        let period: SubscriptionPeriod
        let introductoryOffer: CatalogOffer?
        let promotionalOffers: [CatalogOffer]
        /// The offer codes and win-back offers.
        let redeemableOffers: [CatalogRedeemableOffer]
        /// The price of a month, for a subscription of a year that is sold in monthly payments, too.
        var monthlyPrices: StorefrontPrices?
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

/// The conditions of a product's sale, from a catalogue file. A `.storekit` file without these members gives
/// ``standard``.
struct SaleConditions: Hashable, Sendable {
    var state = ProductState.approved
    var isClearedForSale = true
    /// The start of sale in wall time, if restricted.
    var availableFrom: Timestamp?
    var storefronts = StorefrontSelection.all
    var hostedContent: DeclaredContent?

    static let standard = SaleConditions()
}

/// App Store Connect's states of an in-app purchase, as in a catalogue file's `state`.
enum ProductState: String, CaseIterable, Sendable {
    case missingMetadata, readyToSubmit, waitingForReview, inReview, developerActionNeeded, pendingBinaryApproval
    case approved
    case removedFromSale, developerRemovedFromSale
    case rejected

    /// Whether it was for sale once and no longer is.
    var isRemovedFromSale: Bool { self == .removedFromSale || self == .developerRemovedFromSale }
}
