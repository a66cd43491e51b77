import BusService
import EventLoop
import StoreModels

/// Products as Catalog presented them a second ago at most, of each app and storefront. Prices change seldom and are
/// asked for often; a new one shows within a second, and what this gateway changes itself at once.
///
/// An answer is of one version of the catalogue: when it would not be, all of it is asked for.
final class ProductDirectory: Sendable {
    /// How long an answer is as good as a new one, counted from when it was asked for.
    static let freshFor = Duration.seconds(1)
    /// Products and unknown identifiers that are remembered; at the bound everything is forgotten and asked again.
    static let rememberedMax = 20_000

    /// What became of a question, in its order.
    struct Answer: Sendable {
        var products: [ShownProduct] = []
        var invalidProductIdentifiers: [String] = []
    }

    fileprivate struct Place: Hashable {
        let bundleId: String
        let storefront: String
    }

    fileprivate struct Entry: Sendable {
        /// As it was asked for. Unicode may call two spellings equal, a catalogue does not.
        let identifier: String
        /// Nil for what is no product there.
        let product: ShownProduct?
        let version: Int64
        let freshUntil: ContinuousClock.Instant
    }

    fileprivate struct State {
        var places: [Place: [String: Entry]] = [:]
        var count = 0
        /// Grows with everything forgotten, so that an answer that was under way meanwhile is not kept.
        var generation = 0
    }

    private let services: ServiceCaller
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Locked(State())

    /// - Parameter now: How old an answer is goes by this clock; tests pass their own.
    init(services: ServiceCaller, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.services = services
        self.now = now
    }

    /// What is known of all of them; nil when Catalog has to be asked.
    func known(_ query: ProductsInParts) -> Answer? {
        let place = Place(query)
        let now = now()
        return state.withLock { state in
            guard let entries = state.places[place] else { return nil }
            var answer = Answer()
            var version: Int64?
            for identifier in query.identifiers {
                guard let entry = entries[identifier], entry.freshUntil > now, entry.isOf(identifier),
                    entry.version == version ?? entry.version
                else { return nil }
                version = entry.version
                answer.add(identifier, entry.product)
            }
            return answer
        }
    }

    /// Asks Catalog, and remembers.
    /// - Throws: `serviceUnavailable` and the like: an old price is none.
    func ask(_ query: ProductsInParts, _ context: CallContext) async throws(StoreError) -> Answer {
        let generation = state.withLock { $0.generation }
        let freshUntil = now() + Self.freshFor
        let reply = try await query.run(context)
        let answer = Answer(
            products: reply.products.map(ShownProduct.init),
            invalidProductIdentifiers: reply.invalidProductIdentifiers)
        let entries =
            answer.products.map {
                Entry(
                    identifier: $0.productIdentifier, product: $0, version: reply.catalogVersion, freshUntil: freshUntil
                )
            }
            + answer.invalidProductIdentifiers.map {
                Entry(identifier: $0, product: nil, version: reply.catalogVersion, freshUntil: freshUntil)
            }
        state.withLock { $0.remember(entries, at: Place(query), since: generation) }
        return answer
    }

    /// Something was set up: the next question goes to Catalog, and no answer from before is kept.
    func forgetAll() {
        state.withLock { state in
            state.generation += 1
            state.places = [:]
            state.count = 0
        }
    }
}

extension ProductDirectory.Place {
    fileprivate init(_ query: ProductsInParts) {
        self.init(bundleId: query.bundleId, storefront: query.storefront)
    }
}

extension ProductDirectory.Entry {
    fileprivate func isOf(_ other: String) -> Bool { identifier.utf8.elementsEqual(other.utf8) }
}

extension ProductDirectory.Answer {
    fileprivate mutating func add(_ identifier: String, _ product: ShownProduct?) {
        if let product { products.append(product) } else { invalidProductIdentifiers.append(identifier) }
    }
}

extension ProductDirectory.State {
    fileprivate mutating func remember(
        _ entries: [ProductDirectory.Entry], at place: ProductDirectory.Place, since known: Int
    ) {
        guard generation == known else { return }
        if count + entries.count > ProductDirectory.rememberedMax {
            places = [:]
            count = 0
        }
        var kept = places.removeValue(forKey: place) ?? [:]
        count -= kept.count
        for entry in entries { kept[entry.identifier] = entry }
        count += kept.count
        places[place] = kept
    }
}
