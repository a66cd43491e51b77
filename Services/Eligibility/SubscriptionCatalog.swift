import BusService
import StoreModels
import Synchronization

/// Which subscriptions apps have, kept for a second, so that a check costs one request: PaymentQueue's.
///
/// From half a second on one question goes to Catalog while the others go on with what there is; after a second everybody
/// asks. With Catalog away a list is used for a minute: which group a product is in changes seldom.
final class SubscriptionCatalog: Sendable {
    static let renewedAfter: Duration = .milliseconds(500)
    static let freshFor: Duration = .seconds(1)
    static let usableFor: Duration = .seconds(60)
    /// Subscriptions kept, in all lists together; when there are more, all lists go and are asked for again.
    static let subscriptionsMax = 200_000
    static let listsMax = 1_000

    struct Key: Hashable, Sendable {
        let bundleId: String
        let storefront: String
    }

    private struct Entry: Sendable {
        var list: SubscriptionList
        var asked: ContinuousClock.Instant
        var isBeingRenewed = false
    }

    private struct Contents: Sendable {
        var entries: [Key: Entry] = [:]
        var count = 0
    }

    private let contents = Mutex(Contents())
    private let now: @Sendable () -> ContinuousClock.Instant
    private let fetch: @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]

    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        fetch: @escaping @Sendable (Key, CallContext) async throws(StoreError) -> [SubscriptionProduct]
    ) {
        self.now = now
        self.fetch = fetch
    }

    /// - Throws: what Catalog refuses; `serviceUnavailable` or `deadlineExceeded` when it does not answer and nothing is
    ///   known.
    func list(_ key: Key, _ context: CallContext) async throws(StoreError) -> SubscriptionList {
        if let ready = ready(key) { return ready }
        let asked = now()
        do {
            let list = SubscriptionList(try await fetch(key, context))
            keep(list, for: key, asked: asked)
            return list
        } catch {
            let known = giveUp(key)
            guard error.code == .serviceUnavailable || error.code == .deadlineExceeded, let known else { throw error }
            return known
        }
    }

    /// A list that may be used without asking.
    private func ready(_ key: Key) -> SubscriptionList? {
        let now = now()
        return contents.withLock { contents in
            guard let entry = contents.entries[key] else { return nil }
            let age = now - entry.asked
            if age <= Self.renewedAfter || (age <= Self.freshFor && entry.isBeingRenewed) { return entry.list }
            contents.entries[key]?.isBeingRenewed = true
            return nil
        }
    }

    private func keep(_ list: SubscriptionList, for key: Key, asked: ContinuousClock.Instant) {
        contents.withLock { contents in
            let old = contents.entries[key]
            // A slow answer does not take the place of one that was asked for later.
            if let old, old.asked > asked { return }
            contents.count += list.all.count - (old?.list.all.count ?? 0)
            if contents.count > Self.subscriptionsMax || (old == nil && contents.entries.count == Self.listsMax) {
                contents = Contents(entries: [:], count: list.all.count)
            }
            contents.entries[key] = Entry(list: list, asked: asked)
        }
    }

    /// The question failed: somebody else may ask.
    /// - Returns: the list as it was a minute ago at most.
    private func giveUp(_ key: Key) -> SubscriptionList? {
        let now = now()
        return contents.withLock { contents in
            contents.entries[key]?.isBeingRenewed = false
            guard let entry = contents.entries[key], now - entry.asked <= Self.usableFor else { return nil }
            return entry.list
        }
    }
}

extension SubscriptionCatalog {
    /// Asks Catalog, page by page.
    convenience init(
        _ services: ServiceCaller, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.init(now: now) { (key, context) async throws(StoreError) in
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
