import BusService
import StoreModels

/// Cache of the subscriptions of apps in Catalog.
///
/// Lists are cached with the app's version, and Catalog is asked for the version each time, by one request for all
/// simultaneous callers: an import that was acknowledged to the operator counts for the next question (ADR 0021).
/// Changes by date are a second late at most. While Catalog is away a list is used for a minute, unless Catalog has
/// announced a change of the app meanwhile.
final class SubscriptionCatalog: Sendable {
    static let freshFor: Duration = .seconds(1)
    static let usableFor: Duration = .seconds(60)
    /// Maximum number of subscriptions in all lists together. Beyond it all lists are dropped and requested again.
    static let subscriptionsMax = 200_000
    static let listsMax = 1_000

    struct Key: Hashable, Sendable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    private let lists: ExpiringCache<Key, (list: SubscriptionList, version: AppVersion)>
    private let versions: SharedRequest<ExactText, AppVersion>
    private let fetch: @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        version: @escaping @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> AppVersion,
        fetch: @escaping @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]
    ) {
        lists = ExpiringCache(
            max: Self.listsMax, costMax: Self.subscriptionsMax, cost: { $0.list.all.count }, now: now)
        self.fetch = fetch
        versions = SharedRequest { (bundleId, deadline) async throws(StoreError) in
            try await version(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// The list for an app in a storefront, from the cache or from Catalog.
    ///
    /// - Throws: Catalog's error; `serviceUnavailable` or `deadlineExceeded` when it does not answer and nothing is
    ///   cached.
    func list(_ key: Key, _ context: CallContext) async throws(StoreError) -> SubscriptionList {
        let ticket = lists.ticket()
        var version: AppVersion?
        do {
            let current = try await versions.ask(ExactText(key.bundleId), until: context.deadline)
            version = current
            if let known = lists.last(key, within: Self.freshFor, where: { $0.version == current }) {
                return known.list
            }
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

    /// Invalidates a changed app. Its earlier lists are no longer used, even while Catalog is away.
    /// - Parameter bundleId: Nil when any app may have changed.
    func forget(_ bundleId: String?) {
        lists.invalidate { key in bundleId.map { key.bundleId.isExactly($0) } ?? true }
    }
}

extension SubscriptionCatalog {
    /// Requests the list from Catalog, page by page.
    convenience init(
        _ services: ServiceCaller, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.init(now: now, version: services.function(CatalogEndpoints.appVersion)) {
            (key, context) async throws(StoreError) in
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
