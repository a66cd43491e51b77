import BusService
import StoreModels

/// Caches the subscriptions of Catalog's apps.
///
/// Lists are cached with the app's version, which is on a lease of Catalog. So an import that was acknowledged to the
/// operator counts for the next question (ADR 0072). Changes by date are at most a second late. While Catalog is away a
/// list is used for a minute, unless Catalog has announced a change of the app meanwhile.
final class SubscriptionCatalog: Sendable {
    /// Maximum age of a list of the present version. An older one is requested again.
    static let freshFor: Duration = .seconds(1)
    /// Maximum age of a list while Catalog is away.
    static let usableFor: Duration = .seconds(60)
    /// Maximum number of subscriptions in all lists together. Beyond it the cache is emptied.
    static let subscriptionsMax = 200_000
    /// Maximum number of lists. Beyond it the cache is emptied.
    static let listsMax = 1_000

    struct Key: Hashable, Sendable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    private let lists: ExpiringCache<Key, (list: SubscriptionList, version: AppVersion)>
    private let version: Version
    private let fetch: @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]

    /// Returns an app's version in force, until a deadline.
    typealias Version = @Sendable (ExactText, ContinuousClock.Instant) async throws(StoreError) -> AppVersion

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }, version: @escaping Version,
        fetch: @escaping @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]
    ) {
        lists = ExpiringCache(
            max: Self.listsMax, costMax: Self.subscriptionsMax, cost: { $0.list.all.count }, now: now)
        self.version = version
        self.fetch = fetch
    }

    /// Returns the list for an app in a storefront, from the cache or from Catalog.
    /// - Throws: Catalog's error, or `serviceUnavailable` or `deadlineExceeded` when it does not reply and the list is
    ///   not cached.
    func list(_ key: Key, _ context: CallContext) async throws(StoreError) -> SubscriptionList {
        var ticket = lists.ticket()
        var version: AppVersion?
        do {
            let current = try await self.version(ExactText(key.bundleId), context.deadline)
            version = current
            if let known = lists.last(key, within: Self.freshFor, where: { $0.version == current }) {
                return known.list
            }
            // The list's age counts from its own request, not from the one for the version.
            ticket.requestedAt = lists.ticket().requestedAt
            let list = SubscriptionList(try await fetch(key, context))
            lists.insert((list, current), for: key, ticket)
            return list
        } catch {
            let isAway = error.code == .serviceUnavailable || error.code == .deadlineExceeded
            // If Catalog has answered, only a list of the app's version counts.
            let last = lists.last(key, within: Self.usableFor) { $0.version == version ?? $0.version }
            guard isAway, let last else { throw error }
            return last.list
        }
    }

    /// Invalidates the lists of a changed app, also for while Catalog is away.
    /// - Parameter bundleId: Nil when any app may have changed.
    func forget(_ bundleId: String?) {
        lists.invalidate { key in bundleId.map { key.bundleId.isExactly($0) } ?? true }
    }
}

extension SubscriptionCatalog {
    /// Creates a cache that requests lists from Catalog, page by page.
    convenience init(
        _ services: ServiceCaller, _ versions: VersionLeases<AppVersion>,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.init(
            now: now,
            version: { (bundleId, deadline) async throws(StoreError) in
                try await versions.version(of: bundleId, until: deadline)
            }
        ) { (key, context) async throws(StoreError) in
            var found: [SubscriptionProduct] = []
            var after: String?
            repeat {
                let request = SubscriptionProductsRequest(
                    bundleId: key.bundleId, storefront: key.storefront, after: after)
                let page = try await services.call(CatalogEndpoints.listSubscriptions, request, context: context)
                found += page.subscriptions
                after = page.after
            } while after != nil
            return found
        }
    }
}

/// An app's subscriptions in one storefront, at one version of the catalogue.
struct SubscriptionList: Sendable {
    /// All subscriptions in the catalogue's order, including those that cannot be bought.
    let all: [SubscriptionProduct]
    /// The group of each product identifier.
    let groups: [ExactText: String]
    /// Positions of available products in `all`. They keep a request's cost independent of the catalogue's size.
    private let positions: [ExactText: Int]

    init(_ all: [SubscriptionProduct]) {
        self.all = all
        positions = Dictionary(
            exactly: all.indices.lazy.filter { all[$0].isAvailable }.map { (all[$0].productIdentifier, $0) })
        groups = Dictionary(exactly: all.map { ($0.productIdentifier, $0.subscriptionGroupIdentifier) })
    }

    /// Returns the products that can be bought: all of them, or the requested ones without duplicates.
    func offered(_ identifiers: [String]?) -> [SubscriptionProduct] {
        guard let identifiers else { return all.filter(\.isAvailable) }
        var answered: Set<Int> = []
        return identifiers.compactMap { identifier in
            guard let position = positions[identifier], answered.insert(position).inserted else { return nil }
            return all[position]
        }
    }
}
