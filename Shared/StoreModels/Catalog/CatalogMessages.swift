#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `{"bundleId":"com.example.app"}`
public struct AppRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public init(bundleId: String) { self.bundleId = bundleId }
}

public struct PutAppRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var settings: AppSettings
    public init(bundleId: String, settings: AppSettings) {
        self.bundleId = bundleId
        self.settings = settings
    }
}

/// A page of a list: what comes behind `after`, at most `limit`.
public struct PageRequest: Hashable, Sendable, Codable {
    public var after: String?
    /// 1…500.
    public var limit: Int
    public init(after: String? = nil, limit: Int = 100) {
        self.after = after
        self.limit = limit
    }
}

public struct AppsPage: Hashable, Sendable, Codable {
    public var apps: [App]
    /// The next page's `after`; absent on the last page.
    public var after: String?
    public init(apps: [App], after: String? = nil) {
        self.apps = apps
        self.after = after
    }
}

public struct BeginImportRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The whole file's size; at most 128 MiB.
    public var byteCount: Int
    /// Named in the report and in errors, `App.storekit`.
    public var fileName: String?
    public init(bundleId: String, byteCount: Int, fileName: String? = nil) {
        self.bundleId = bundleId
        self.byteCount = byteCount
        self.fileName = fileName
    }
}

public struct BeginImportReply: Hashable, Sendable, Codable {
    public var importIdentifier: String
    public init(importIdentifier: String) { self.importIdentifier = importIdentifier }
}

public struct ImportPartRequest: Hashable, Sendable, Codable {
    /// Bytes of the file in one part, so that the message with its base64 stays well below 512 KiB.
    public static let byteCountMax = 256 * 1024

    public var importIdentifier: String
    /// 0, 1, 2 …; sending a part again replaces it.
    public var index: Int
    /// Base64 on the wire.
    public var data: Data
    public init(importIdentifier: String, index: Int, data: Data) {
        self.importIdentifier = importIdentifier
        self.index = index
        self.data = data
    }
}

public struct CommitImportRequest: Hashable, Sendable, Codable {
    public var importIdentifier: String
    public init(importIdentifier: String) { self.importIdentifier = importIdentifier }
}

/// What an import did. The error of a refused one is `catalogInvalid` with
/// `details.problems: [{"path":"$.products[2].displayPrice","reason":"…"}]`.
public struct ImportReport: Hashable, Sendable, Codable {
    public var bundleId: String
    public var catalogVersion: Int64
    /// The file's own version, `4.0`.
    public var fileVersion: String
    public var productCount: Int
    public var subscriptionGroupCount: Int
    public var introductoryOfferCount: Int
    /// Names of `settings` that took effect, and those that were kept but have no effect.
    public var settingsApplied: [String]
    public var settingsIgnored: [String]
    /// What had to be assumed, in sentences.
    public var notes: [String]
    /// Absent in reports of imports that were made before these were counted.
    public var promotionalOfferCount: Int?
    public var winBackOfferCount: Int?
    public var offerCodeCount: Int?

    public init(
        bundleId: String, catalogVersion: Int64, fileVersion: String, productCount: Int, subscriptionGroupCount: Int,
        introductoryOfferCount: Int, settingsApplied: [String], settingsIgnored: [String], notes: [String],
        promotionalOfferCount: Int? = nil, winBackOfferCount: Int? = nil, offerCodeCount: Int? = nil
    ) {
        self.bundleId = bundleId
        self.catalogVersion = catalogVersion
        self.fileVersion = fileVersion
        self.productCount = productCount
        self.subscriptionGroupCount = subscriptionGroupCount
        self.introductoryOfferCount = introductoryOfferCount
        self.settingsApplied = settingsApplied
        self.settingsIgnored = settingsIgnored
        self.notes = notes
        self.promotionalOfferCount = promotionalOfferCount
        self.winBackOfferCount = winBackOfferCount
        self.offerCodeCount = offerCodeCount
    }
}

public struct ExportPartRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var index: Int
    /// The version the first part came with, so that all parts are of one file; nil for the first.
    public var catalogVersion: Int64?
    public init(bundleId: String, index: Int, catalogVersion: Int64? = nil) {
        self.bundleId = bundleId
        self.index = index
        self.catalogVersion = catalogVersion
    }
}

public struct ExportPartReply: Hashable, Sendable, Codable {
    public var catalogVersion: Int64
    public var partCount: Int
    public var data: Data
    public init(catalogVersion: Int64, partCount: Int, data: Data) {
        self.catalogVersion = catalogVersion
        self.partCount = partCount
        self.data = data
    }
}

/// `{"bundleId":"…","productIdentifiers":["a","b"],"storefront":"FRA"}`; duplicates count once (M7).
public struct ProductsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var productIdentifiers: [String]
    /// Alpha-3 country code of the account's storefront.
    public var storefront: String
    public init(bundleId: String, productIdentifiers: [String], storefront: String) {
        self.bundleId = bundleId
        self.productIdentifiers = productIdentifiers
        self.storefront = storefront
    }
}

/// The products and the invalid identifiers of a request. Every requested identifier is in exactly one of the two lists
/// (M2, M4), in the order it was first requested.
///
/// `Item` is how much of a product the caller wants to decode; on the wire it is always the whole ``Product``.
public struct ProductsReplyOf<Item: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    public var products: [Item]
    public var invalidProductIdentifiers: [String]
    public var catalogVersion: Int64
    public init(products: [Item], invalidProductIdentifiers: [String], catalogVersion: Int64) {
        self.products = products
        self.invalidProductIdentifiers = invalidProductIdentifiers
        self.catalogVersion = catalogVersion
    }
}

public typealias ProductsReply = ProductsReplyOf<Product>

public struct ProductsPageRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var storefront: String
    /// The last product identifier of the page before.
    public var after: String?
    /// 1…500.
    public var limit: Int
    /// Only this type, when given.
    public var type: ProductType?
    public init(bundleId: String, storefront: String, after: String? = nil, limit: Int = 100, type: ProductType? = nil)
    {
        self.bundleId = bundleId
        self.storefront = storefront
        self.after = after
        self.limit = limit
        self.type = type
    }
}

/// Products in the catalogue's own order.
public struct ProductsPage: Hashable, Sendable, Codable {
    public var products: [Product]
    public var after: String?
    public var catalogVersion: Int64
    public init(products: [Product], after: String?, catalogVersion: Int64) {
        self.products = products
        self.after = after
        self.catalogVersion = catalogVersion
    }
}

public struct QuoteRequest: Hashable, Sendable, Codable {
    @ExactText public var bundleId: String
    @ExactText public var productIdentifier: String
    @ExactText public var storefront: String
    /// A purchase that a test URL has begun: a product that is not yet available is sold too (M109). Nil means no.
    public var isTest: Bool?
    public init(bundleId: String, productIdentifier: String, storefront: String, isTest: Bool? = nil) {
        self.bundleId = bundleId
        self.productIdentifier = productIdentifier
        self.storefront = storefront
        self.isTest = isTest
    }
}

/// What PaymentQueue needs to sell one product, valid for this catalogue version.
public struct Quote: Hashable, Sendable, Codable {
    public enum Availability: String, Sendable, Codable {
        /// `product` is there and can be bought.
        case available
        /// No such product in this app: the payment fails with `paymentInvalid` (3).
        case unknown
        /// Known, but not for sale in this storefront: fails with `storeProductNotAvailable` (5).
        case notForSale
    }

    public var catalogVersion: Int64
    public var availability: Availability
    public var product: Product?
    /// Level within its subscription group, 1 the highest service.
    public var subscriptionLevel: Int?
    /// Every product of its subscription group today, for sale or not.
    public var subscriptionGroupProducts: [String]?
    /// The app's own limit of unfinished transactions (M52), if any.
    public var unfinishedLimit: Int?
    /// What testers of the app do unless set otherwise.
    public var testerDefaults: TesterSettings?
    /// Whether the app's subscriptions have a grace period; nil means no.
    public var billingGracePeriod: Bool?
    /// Win-back offers and offer codes of the product, which `SKProduct` does not show.
    public var redeemableOffers: [RedeemableOffer]?

    public init(
        catalogVersion: Int64, availability: Availability, product: Product? = nil, subscriptionLevel: Int? = nil,
        subscriptionGroupProducts: [String]? = nil, unfinishedLimit: Int? = nil,
        testerDefaults: TesterSettings? = nil, billingGracePeriod: Bool? = nil,
        redeemableOffers: [RedeemableOffer]? = nil
    ) {
        self.catalogVersion = catalogVersion
        self.availability = availability
        self.product = product
        self.subscriptionLevel = subscriptionLevel
        self.subscriptionGroupProducts = subscriptionGroupProducts
        self.unfinishedLimit = unfinishedLimit
        self.testerDefaults = testerDefaults
        self.billingGracePeriod = billingGracePeriod
        self.redeemableOffers = redeemableOffers
    }
}

public struct PromotedProductsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var storefront: String
    public init(bundleId: String, storefront: String) {
        self.bundleId = bundleId
        self.storefront = storefront
    }
}

/// `Item` is as in ``ProductsReplyOf``.
public struct PromotedProductsReplyOf<Item: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    /// At most 20, StoreKit's limit of promoted products, in the operator's order, hidden ones too.
    public var products: [Item]
    /// Those of them that the operator hides where no device shows them.
    public var hiddenProductIdentifiers: [String]
    /// The app's entries of the featured tab, in its order.
    public var featuredProductIdentifiers: [String]
    /// The app's name, a further text that a search finds them by.
    public var appName: String
    /// Grows also with each change of what is promoted.
    public var catalogVersion: Int64
    public init(
        products: [Item], hiddenProductIdentifiers: [String] = [], featuredProductIdentifiers: [String] = [],
        appName: String = "", catalogVersion: Int64
    ) {
        self.products = products
        self.hiddenProductIdentifiers = hiddenProductIdentifiers
        self.featuredProductIdentifiers = featuredProductIdentifiers
        self.appName = appName
        self.catalogVersion = catalogVersion
    }
}

public typealias PromotedProductsReply = PromotedProductsReplyOf<Product>

public struct StorefrontsReply: Hashable, Sendable, Codable {
    public var storefronts: [Storefront]
    public init(storefronts: [Storefront]) { self.storefronts = storefronts }
}
