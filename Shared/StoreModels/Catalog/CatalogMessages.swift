#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// `{"bundleId":"com.example.app"}`
public struct AppRequest: Hashable, Sendable, Codable {
    public var bundleId: String
}

/// Creates an app or replaces its settings.
public struct PutAppRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The complete new settings. A replaced app keeps none of its old ones.
    public var settings: AppSettings
}

/// Asks for a page of a list: at most `limit` entries after `after`.
public struct PageRequest: Hashable, Sendable, Codable {
    /// The scope that the service lists from.
    public var scope: IsolationScope
    /// The `after` of the page before, or nil for the first page.
    public var after: String?
    /// 1…500.
    public var limit: Int = 100
}

/// A page of apps, by bundle identifier.
public struct AppsPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var apps: [App]
    /// The next page's `after`, absent on the last page.
    public var after: String?
    /// Apps that are being deleted, which `apps` has no more. Absent without any, and on later pages. They are deleted
    /// one after another, in this order. All but the first wait.
    public var deleting: [AppDeletion]?
}

/// An app that is being deleted. No app can be made under its name until the deletion has ended.
public struct AppDeletion: Hashable, Sendable, Codable {
    public var bundleId: String
    /// When it began, by the wall clock.
    public var begunAt: Timestamp
    /// Why a step has failed last. The step is tried again. Absent when none has failed.
    public var problem: String?
}

/// Begins the import of a catalogue file.
public struct BeginImportRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The whole file's size, at most 128 MiB.
    public var byteCount: Int
    /// The file's name, used in errors and for a new app, such as `App.storekit`.
    public var fileName: String?
    /// The first part, so that a small file needs no request of its own for it. Base64 on the wire.
    public var data: Data?
}

/// The import that parts and commit name.
public struct BeginImportReply: Hashable, Sendable, Codable {
    /// 24 hexadecimal digits, made by Catalog.
    public var importIdentifier: String
}

/// One part of a catalogue file.
public struct ImportPartRequest: Hashable, Sendable, Codable {
    /// Bytes of the file in one part. The message with its base64 then stays well below 512 KiB.
    public static let byteCountMax = 256 * 1024

    /// As ``BeginImportReply/importIdentifier``.
    public var importIdentifier: String
    /// 0, 1, 2 and so on. Sending a part again replaces it.
    public var index: Int
    /// Base64 on the wire.
    public var data: Data
}

/// Commits an import, or tries it.
public struct CommitImportRequest: Hashable, Sendable, Codable {
    /// As ``BeginImportReply/importIdentifier``.
    public var importIdentifier: String
}

/// The result of an import. The error of a refused one is `catalogInvalid` with
/// `details.problems: [{"path":"$.products[2].displayPrice","reason":"…"}]`.
public struct ImportReport: Hashable, Sendable, Codable {
    /// The app the catalogue belongs to, created by its first import.
    @ShownApp public var bundleId: String
    /// The version that the import made. After a try, the version in force.
    public var catalogVersion: Int64
    /// The file's own version, `4.0`.
    public var fileVersion: String
    /// In-app purchases of every type, subscriptions included.
    public var productCount: Int
    /// Groups of the file's `subscriptionGroups`.
    public var subscriptionGroupCount: Int
    /// Subscriptions' introductory offers, at most one each.
    public var introductoryOfferCount: Int
    /// Names of `settings` that took effect.
    public var settingsApplied: [String]
    /// Names of `settings` that are kept and have no effect.
    public var settingsIgnored: [String]
    /// The assumptions made, in sentences.
    public var notes: [String]
    /// Absent in reports of imports that are older than this count.
    public var promotionalOfferCount: Int?
    /// Absent as ``promotionalOfferCount``.
    public var winBackOfferCount: Int?
    /// Absent as ``promotionalOfferCount``.
    public var offerCodeCount: Int?
}

/// Asks for one part of the file in force.
public struct ExportPartRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// From 0.
    public var index: Int
    /// The version that came with the first part, because all parts are of one file. Nil for the first part.
    public var catalogVersion: Int64?
}

/// One part of the file in force, with private keys masked.
public struct ExportPartReply: Hashable, Sendable, Codable {
    /// The catalogue version of the file. The caller sends it back to request further parts.
    public var catalogVersion: Int64
    /// Parts of the whole file, the last index plus one.
    public var partCount: Int
    /// Base64 on the wire.
    public var data: Data
}

/// `{"bundleId":"…","productIdentifiers":["a","b"],"storefront":"FRA"}`. Duplicates count once (M7).
public struct ProductsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// At most 500, in the caller's order.
    public var productIdentifiers: [String]
    /// Alpha-3 country code of the account's storefront.
    public var storefront: String
    /// As ``ProductsQuery/language``.
    public var language: String?
}

/// The products and the invalid identifiers of a request. Every requested identifier is in exactly one of the two lists
/// (M2, M4), in the order it was first requested.
///
/// `Item` is the part of a product that the caller decodes. The wire carries the whole ``Product``.
public struct ProductsReplyOf<Item: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    /// Requested products on sale in the storefront.
    public var products: [Item]
    /// Requested identifiers that are not on sale there, in the order requested.
    public var invalidProductIdentifiers: [String]
    /// As ``AppVersion/catalogVersion``.
    public var catalogVersion: Int64
}

public typealias ProductsReply = ProductsReplyOf<Product>

/// Asks for a page of the products on sale.
public struct ProductsPageRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Alpha-3 country code, which decides prices and language. Nil for the storefront of the app's testers.
    public var storefront: String?
    /// The last product identifier of the page before.
    public var after: String?
    /// 1…500.
    public var limit: Int = 100
    /// Only this type, when given.
    public var type: ProductType?
}

/// A page of products in the catalogue's order.
public struct ProductsPage: Hashable, Sendable, Codable {
    /// Only products on sale in the storefront.
    public var products: [Product]
    /// The next page's `after`, absent on the last page.
    public var after: String?
    /// As ``AppVersion/catalogVersion``.
    public var catalogVersion: Int64
}

/// Asks for the data to sell one product.
public struct QuoteRequest: Hashable, Sendable, Codable {
    @ExactText public var bundleId: String
    /// The product as the app's payment names it.
    @ExactText public var productIdentifier: String
    /// Alpha-3 country code of the customer's storefront.
    @ExactText public var storefront: String
    /// Whether a test URL has begun the purchase. Such a purchase may be of a product that is not yet available (M109).
    /// Nil means no.
    public var isTest: Bool?
}

/// The data that PaymentQueue needs to sell one product, valid for this version of the app.
public struct Quote: Hashable, Sendable, Codable {
    /// Whether the product can be sold.
    public enum Availability: String, Sendable, Codable {
        /// `product` is there and can be bought.
        case available
        /// The app has no such product, so the payment fails with `paymentInvalid` (3).
        case unknown
        /// Known, but not for sale in this storefront. The payment fails with `storeProductNotAvailable` (5).
        case notForSale
    }

    /// As ``AppVersion/catalogVersion``.
    public var catalogVersion: Int64
    /// As ``AppVersion/settingsRevision``.
    public var settingsRevision: Int64
    /// Whether the product can be sold. If not, it decides the payment's error.
    public var availability: Availability
    /// Priced for the requested storefront. Nil unless `availability` is `available`.
    public var product: Product?
    /// Level within its subscription group, 1 the highest service.
    public var subscriptionLevel: Int?
    /// Every product of its subscription group today, for sale or not.
    public var subscriptionGroupProducts: [String]?
    /// The app's own limit of unfinished transactions (M52), if any.
    public var unfinishedLimit: Int?
    /// As ``App/testerDefaults``.
    public var testerDefaults: TesterSettings?
    /// Whether the app's subscriptions have a grace period. Nil means no.
    public var billingGracePeriod: Bool?
    /// Win-back offers and offer codes of the product, which `SKProduct` does not show.
    public var redeemableOffers: [RedeemableOffer]?
}

/// Asks for the promoted products in a storefront.
public struct PromotedProductsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Alpha-3 country code, which decides prices and language.
    public var storefront: String
}

/// The promoted products of an app. `Item` is as in ``ProductsReplyOf``.
public struct PromotedProductsReplyOf<Item: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    /// At most 20 (StoreKit's limit of promoted products), in the operator's order, hidden ones included.
    public var products: [Item]
    /// Products among them that the operator hides. A device may show them nevertheless.
    public var hiddenProductIdentifiers: [String] = []
    /// The app's entries of the featured tab, in its order.
    public var featuredProductIdentifiers: [String] = []
    /// The app's name, by which a search finds the products, too.
    public var appName: String = ""
    /// As ``AppVersion/catalogVersion``.
    public var catalogVersion: Int64
}

public typealias PromotedProductsReply = PromotedProductsReplyOf<Product>

/// The storefronts, by country code.
public struct StorefrontsReply: Hashable, Sendable, Codable {
    /// Each with its alpha-3 code and Apple's number.
    public var storefronts: [Storefront]
}
