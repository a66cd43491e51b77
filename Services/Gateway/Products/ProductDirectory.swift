import BusService
import EventLoop
import StoreModels

/// Cache of products as Catalog presented them, by app and storefront, with the app's version. An entry is valid while
/// the app has that version, for a second at most, because some products become available by date.
final class ProductDirectory: Sendable {
    /// Lifetime of an entry of the current version, counted from its request.
    static let freshFor = Duration.seconds(1)
    /// Maximum number of cached products and unknown identifiers. At the bound all are dropped and requested again.
    static let rememberedMax = 20_000

    /// The result of a query, in its order.
    struct Answer: Sendable {
        var products: [ShownProduct] = []
        var invalidProductIdentifiers: [String] = []
    }

    fileprivate struct Place: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    fileprivate struct Entry: Sendable {
        /// Nil for an identifier without a product there.
        let product: ShownProduct?
        let version: AppVersion
        let freshUntil: ContinuousClock.Instant
    }

    fileprivate struct State {
        var places: [Place: [ExactText: Entry]] = [:]
        var count = 0
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Locked(State())

    /// - Parameter now: The clock for the age of entries; tests pass their own.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// Answers a query from the cache; nil when Catalog has to be asked.
    /// - Parameter version: The app's, requested after the client's request arrived; nil when it is unknown.
    func known(_ query: ProductsInParts, at version: AppVersion?) -> Answer? {
        let place = Place(query)
        let now = now()
        return state.withLock { state in
            guard let version, let entries = state.places[place] else { return nil }
            var answer = Answer()
            for identifier in query.identifiers {
                guard let entry = entries[identifier], entry.freshUntil > now, entry.version == version else {
                    return nil
                }
                answer.add(identifier, entry.product)
            }
            return answer
        }
    }

    /// Asks Catalog, and caches the result under the version.
    /// - Parameter version: As for ``known(_:at:)``, so never newer than the reply.
    /// - Throws: `serviceUnavailable` and the like: an outdated price is not shown.
    func ask(_ query: ProductsInParts, at version: AppVersion?, _ context: CallContext) async throws(StoreError)
        -> Answer
    {
        let freshUntil = now() + Self.freshFor
        let reply = try await query.run(context)
        let answer = Answer(
            products: reply.products.map(ShownProduct.init),
            invalidProductIdentifiers: reply.invalidProductIdentifiers)
        guard let version, version.catalogVersion == reply.catalogVersion else { return answer }
        let entry = { (product: ShownProduct?) in Entry(product: product, version: version, freshUntil: freshUntil) }
        let entries =
            answer.products.map { ($0.productIdentifier, entry($0)) }
            + answer.invalidProductIdentifiers.map { ($0, entry(nil)) }
        state.withLock { $0.remember(entries, at: Place(query)) }
        return answer
    }
}

extension ProductDirectory.Place {
    fileprivate init(_ query: ProductsInParts) {
        self.init(bundleId: query.bundleId, storefront: query.storefront)
    }
}

extension ProductDirectory.Answer {
    fileprivate mutating func add(_ identifier: String, _ product: ShownProduct?) {
        if let product { products.append(product) } else { invalidProductIdentifiers.append(identifier) }
    }
}

extension ProductDirectory.State {
    fileprivate mutating func remember(
        _ entries: [(String, ProductDirectory.Entry)], at place: ProductDirectory.Place
    ) {
        if count + entries.count > ProductDirectory.rememberedMax {
            places = [:]
            count = 0
        }
        var kept = places.removeValue(forKey: place) ?? [:]
        count -= kept.count
        for (identifier, entry) in entries { kept[identifier] = entry }
        count += kept.count
        places[place] = kept
    }
}
