import BusService
import EventLoop
import StoreModels

/// Products as Catalog presented them, of each app and storefront, with the version of the app they belong to. They are
/// shown while the app has that version, for a second at most, because some become available by date.
final class ProductDirectory: Sendable {
    /// How long an answer is as good as a new one of the same version, counted from when it was asked for.
    static let freshFor = Duration.seconds(1)
    /// Products and unknown identifiers that are remembered; at the bound everything is forgotten and asked again.
    static let rememberedMax = 20_000

    /// What became of a question, in its order.
    struct Answer: Sendable {
        var products: [ShownProduct] = []
        var invalidProductIdentifiers: [String] = []
    }

    fileprivate struct Place: Hashable {
        @ExactText var bundleId: String
        @ExactText var storefront: String
    }

    fileprivate struct Entry: Sendable {
        /// Nil for what is no product there.
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

    /// - Parameter now: How old an answer is goes by this clock; tests pass their own.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// What is known of all of them; nil when Catalog has to be asked.
    /// - Parameter version: The app's, asked for after the client's request came; nil when nobody could say.
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

    /// Asks Catalog, and remembers what belongs to the version.
    /// - Parameter version: As for ``known(_:at:)``, so never newer than the answer.
    /// - Throws: `serviceUnavailable` and the like: an old price is none.
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
