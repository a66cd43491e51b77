import BusService
import EventLoop
import StoreModels

/// Caches the subscriptions of Catalog's apps.
///
/// Each request asks Catalog for the app's version, which lists are cached with; concurrent callers share one request.
/// So an import that was acknowledged to the operator counts for the next question (ADR 0021). Changes by date are at
/// most a second late. While Catalog is away a list is used for a minute, unless Catalog has announced a change of the
/// app meanwhile.
final class SubscriptionCatalog: Sendable {
    /// Maximum age of a list of the present version; an older one is requested again.
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

    private struct Entry: Sendable {
        var list: SubscriptionList
        var version: AppVersion
        /// When Catalog was asked.
        var asked: ContinuousClock.Instant
    }

    private struct Contents: Sendable {
        var entries: [Key: Entry] = [:]
        /// The number of subscriptions in all lists.
        var count = 0
        /// The number of changes Catalog has announced; a list from before the last one is not cached.
        var changes = 0
    }

    private let contents = Locked(Contents())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let versions: SharedRequest<ExactText, AppVersion>
    private let fetch: @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        version: @escaping @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> AppVersion,
        fetch: @escaping @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]
    ) {
        self.now = now
        self.fetch = fetch
        versions = SharedRequest { (bundleId, deadline) async throws(StoreError) in
            try await version(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// Returns the list for an app in a storefront, from the cache or from Catalog.
    /// - Throws: Catalog's error; `serviceUnavailable` or `deadlineExceeded` when it does not reply and nothing is
    ///   cached.
    func list(_ key: Key, _ context: CallContext) async throws(StoreError) -> SubscriptionList {
        let changes = contents.withLock { $0.changes }
        var version: AppVersion?
        do {
            let current = try await versions.ask(ExactText(key.bundleId), until: context.deadline)
            version = current
            if let ready = cached(key, at: current) { return ready }
            let asked = now()
            let list = SubscriptionList(try await fetch(key, context))
            keep(Entry(list: list, version: current, asked: asked), for: key, since: changes)
            return list
        } catch {
            let isAway = error.code == .serviceUnavailable || error.code == .deadlineExceeded
            guard isAway, let last = last(key, at: version) else { throw error }
            return last
        }
    }

    /// Invalidates the lists of a changed app, also for while Catalog is away.
    /// - Parameter bundleId: Nil when any app may have changed.
    func forget(_ bundleId: String?) {
        contents.withLock { contents in
            contents.changes += 1
            let kept = contents.entries.filter { key, _ in bundleId.map { !key.bundleId.isExactly($0) } ?? false }
            contents.entries = kept
            contents.count = kept.values.reduce(0) { $0 + $1.list.all.count }
        }
    }

    private func cached(_ key: Key, at version: AppVersion) -> SubscriptionList? {
        let now = now()
        return contents.withLock { contents in
            guard let entry = contents.entries[key], entry.version == version, now - entry.asked <= Self.freshFor else {
                return nil
            }
            return entry.list
        }
    }

    private func keep(_ entry: Entry, for key: Key, since changes: Int) {
        contents.withLock { contents in
            let old = contents.entries[key]
            // A slow reply does not replace one that was requested later.
            if contents.changes != changes || old.map({ $0.asked > entry.asked }) == true { return }
            contents.count += entry.list.all.count - (old?.list.all.count ?? 0)
            if contents.count > Self.subscriptionsMax || (old == nil && contents.entries.count == Self.listsMax) {
                (contents.entries, contents.count) = ([:], entry.list.all.count)
            }
            contents.entries[key] = entry
        }
    }

    /// Returns the cached list, at most a minute old.
    /// - Parameter version: The app's version, if Catalog has replied; then only a list of this version counts.
    private func last(_ key: Key, at version: AppVersion?) -> SubscriptionList? {
        let now = now()
        return contents.withLock { contents in
            guard let entry = contents.entries[key], now - entry.asked <= Self.usableFor,
                entry.version == version ?? entry.version
            else { return nil }
            return entry.list
        }
    }
}

extension SubscriptionCatalog {
    /// Creates a cache that requests lists from Catalog, page by page.
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
