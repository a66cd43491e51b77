import BusService
import GatewayEdge
import StoreModels

/// Cache of the promoted products of apps, with the app's version. An entry is valid while the app has that version,
/// for a second at most, because some products become available by date. All devices share one request to Catalog at a
/// time for each app and storefront.
final class PromotionDirectory: Sendable {
    /// Lifetime of an entry of the current version, counted from its request.
    static let freshFor = Duration.seconds(1)
    /// Maximum number of cached apps and storefronts. At the bound all are dropped and requested again.
    static let rememberedMax = 10_000

    private struct Key: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    private let versions: CurrentVersions
    private let requests: SharedRequest<Key, PromotedListing>
    private let listings = ExpiringCache<Key, (listing: PromotedListing, version: AppVersion)>(
        max: rememberedMax, freshFor: freshFor)

    /// - Parameter timeout: How long requests wait for a shared request to Catalog.
    init(services: ServiceCaller, versions: CurrentVersions, timeout: Duration) {
        self.versions = versions
        let ask = services.function(CatalogEndpoints.listPromotions(as: EncodedProduct.self))
        requests = SharedRequest(timeout: timeout, lateAfter: timeout) { (key, deadline) async throws(StoreError) in
            let request = PromotedProductsRequest(bundleId: key.bundleId, storefront: key.storefront)
            return PromotedListing(try await ask(request, deadline))
        }
    }

    /// Returns the promoted products of an app in one storefront.
    /// - Throws: Catalog's error, or `serviceUnavailable` and the like when it is away, because an outdated page would
    ///   offer products that are no longer sold.
    func listing(of bundleId: String, in storefront: String, _ call: Call) async throws(StoreError) -> PromotedListing {
        let key = Key(bundleId: bundleId, storefront: storefront)
        let version = try await versions.app(bundleId, until: call.deadline)
        return try await listings.value(for: key, where: { $0.version == version }) { () async throws(StoreError) in
            (try await requests.ask(key, until: call.deadline), version)
        }.listing
    }

    /// Returns the subscriptions among the last known promotions, or nil when none are known. The caller asks for their
    /// eligibility before Catalog's reply arrives.
    func lastKnownSubscriptions(of bundleId: String, in storefront: String) -> [String]? {
        listings.last(Key(bundleId: bundleId, storefront: storefront))?.listing.subscriptions
    }
}

/// The promoted products of an app in one storefront, to be arranged for any device.
struct PromotedListing: Sendable {
    private let arrangement: PromotionArrangement
    /// The app's entries of the featured tab, in its order.
    let featured: [String]
    let appName: String
    /// The promoted subscriptions, for the request to Eligibility.
    let subscriptions: [String]
    private let products: [ExactText: EncodedProduct]
    /// The page of a device without overrides.
    private let unchanged: [EncodedProduct]

    init(_ reply: PromotedProductsReplyOf<EncodedProduct>) {
        arrangement = PromotionArrangement(
            promoted: reply.products.map(\.productIdentifier), hidden: reply.hiddenProductIdentifiers)
        featured = reply.featuredProductIdentifiers
        appName = reply.appName
        subscriptions = reply.products.filter { $0.type == .autoRenewable }.map(\.productIdentifier)
        let products = Dictionary(exactly: reply.products.map { ($0.productIdentifier, $0) })
        self.products = products
        unchanged = arrangement.shown().compactMap { products[$0] }
    }

    /// Returns the products that a device shows, in its order.
    func products(with overrides: PromotionOverrides) -> [EncodedProduct] {
        if overrides.order.isEmpty, overrides.visibility.isEmpty { return unchanged }
        return arrangement.shown(with: overrides).compactMap { products[$0] }
    }
}
