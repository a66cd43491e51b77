import BusService
import EventLoop
import StoreModels

/// What apps promote, with the version of the app it belongs to. It is shown while the app has that version, for a
/// second at most, because some products become available by date. However many devices look at a page, Catalog is asked
/// by one request at a time for each app and storefront.
final class PromotionDirectory: Sendable {
    /// How long an answer is as good as a new one of the same version, counted from when it was asked for.
    static let freshFor = Duration.seconds(1)
    /// Apps and storefronts that are remembered; at the bound everything is forgotten and asked again.
    static let rememberedMax = 10_000

    private struct Key: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    private struct Entry {
        var listing: PromotedListing
        var version: AppVersion
        var freshUntil: ContinuousClock.Instant
    }

    private let versions: CurrentVersions
    private let requests: SharedRequest<Key, PromotedListing>
    private let entries = Locked<[Key: Entry]>([:])

    /// - Parameter patience: How long many requests wait for one that asks Catalog.
    init(services: ServiceCaller, versions: CurrentVersions, patience: Duration) {
        self.versions = versions
        let ask = services.function(CatalogEndpoints.listPromotions(as: PromotedProduct.self))
        requests = SharedRequest(patience: patience, lateAfter: patience) { (key, deadline) async throws(StoreError) in
            let request = PromotedProductsRequest(bundleId: key.bundleId, storefront: key.storefront)
            return PromotedListing(try await ask(request, deadline))
        }
    }

    /// - Throws: What Catalog answers; `serviceUnavailable` and the like when it is away, for an old page would sell what
    ///   is no longer sold.
    func listing(of bundleId: String, in storefront: String, _ call: Call) async throws(StoreError) -> PromotedListing {
        let key = Key(bundleId: bundleId, storefront: storefront)
        let version = try await versions.app(bundleId, until: call.deadline)
        let freshUntil = ContinuousClock.now + Self.freshFor
        let known = entries.withLock { entries in
            entries[key].flatMap { $0.version == version && $0.freshUntil > .now ? $0.listing : nil }
        }
        if let known { return known }
        let listing = try await requests.ask(key, until: call.deadline)
        entries.withLock { entries in
            if entries.count >= Self.rememberedMax, entries[key] == nil { entries.removeAll() }
            entries[key] = Entry(listing: listing, version: version, freshUntil: freshUntil)
        }
        return listing
    }

    /// The subscriptions among what was promoted when anybody last heard; nil when nobody has. For asking about them
    /// before the answer is there.
    func lastKnownSubscriptions(of bundleId: String, in storefront: String) -> [String]? {
        entries.withLock { $0[Key(bundleId: bundleId, storefront: storefront)]?.listing.subscriptions }
    }
}
