import BusService
import StoreModels

/// Cache of products as Catalog presented them, by app and storefront, with the app's version. An entry is valid while
/// the app has that version, for a second at most, because some products become available by date.
final class ProductDirectory: Sendable {
    /// Lifetime of an entry of the current version, counted from its request.
    static let freshFor = Duration.seconds(1)
    /// Maximum number of cached products and unknown identifiers. At the bound all are dropped and requested again.
    static let rememberedMax = 20_000

    /// The result of a query, in its order.
    struct Found: Sendable {
        var products: [EncodedProduct] = []
        var invalidProductIdentifiers: [String] = []
    }

    private struct Key: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
        @ExactText var productIdentifier: String

        /// Leaves the app out: apps have products of their own, as a rule.
        func hash(into hasher: inout Hasher) {
            hasher.combine(_productIdentifier)
            hasher.combine(_storefront)
        }
    }

    private struct Entry {
        /// Nil for an identifier without a product there.
        let product: EncodedProduct?
        let version: AppVersion
    }

    private let entries: ExpiringCache<Key, Entry>

    /// - Parameter now: The clock for the age of entries. Tests pass their own.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        entries = ExpiringCache(max: Self.rememberedMax, freshFor: Self.freshFor, now: now)
    }

    /// Answers a query from the cache, or returns nil when Catalog has to be asked.
    /// - Parameter version: The app's version, requested after the client's request arrived. Nil when it is unknown.
    func known(_ query: ProductsInParts, at version: AppVersion?) -> Found? {
        guard let version else { return nil }
        let keys = query.identifiers.map { Self.key($0, query) }
        guard let found = entries.fresh(keys, where: { $0.version == version }) else { return nil }
        var result = Found()
        for (identifier, entry) in zip(query.identifiers, found) {
            if let product = entry.product {
                result.products.append(product)
            } else {
                result.invalidProductIdentifiers.append(identifier)
            }
        }
        return result
    }

    /// Asks Catalog, and caches the result under the version.
    /// - Parameter version: As for ``known(_:at:)``, so never newer than the reply.
    /// - Throws: `serviceUnavailable` and the like: an outdated price is not shown.
    func ask(_ query: ProductsInParts, at version: AppVersion?, _ context: CallContext) async throws(StoreError)
        -> Found
    {
        let ticket = entries.ticket()
        let reply = try await query.run(context)
        let result = Found(
            products: reply.products.map(EncodedProduct.init),
            invalidProductIdentifiers: reply.invalidProductIdentifiers)
        guard let version, version.catalogVersion == reply.catalogVersion else { return result }
        let found =
            result.products.map { ($0.productIdentifier, $0) }
            + result.invalidProductIdentifiers.map { ($0, nil) }
        entries.insert(found.map { (Self.key($0, query), Entry(product: $1, version: version)) }, ticket)
        return result
    }

    private static func key(_ identifier: String, _ query: ProductsInParts) -> Key {
        Key(bundleId: query.bundleId, storefront: query.storefront, productIdentifier: identifier)
    }
}
