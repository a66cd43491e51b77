internal import StoreHTTP
internal import StoreModels

/// The store of one country.
public struct Storefront: Identifiable, Hashable, Sendable {
    /// The country's ISO 3166-1 alpha-3 code.
    public let countryCode: String
    /// The store's number of the storefront.
    public let id: String
    /// The currency of its prices.
    public let currency: Locale.Currency?

    init(countryCode: String, id: String, currency: Locale.Currency?) {
        (self.countryCode, self.id, self.currency) = (countryCode, id, currency)
    }

    init(_ model: StoreModels.Storefront) {
        self.init(
            countryCode: model.countryCode, id: model.identifier,
            currency: model.currency.map { Locale.Currency($0.code) })
    }

    /// The customer's storefront. Nil when the store cannot be asked.
    public static var current: Storefront? {
        get async {
            let core = SKPaymentQueue.current.core
            return (try? await core.sessions.session()).map { Storefront($0.storefront) }
        }
    }

    /// The changes of the customer's storefront. The sequence does not end. Every iterator gets everything.
    public static var updates: Storefronts {
        let queue = SKPaymentQueue.current
        return Storefronts(source: .live { queue.core.listen(\.storefronts) })
    }

    /// A sequence of changes of the customer's storefront.
    public struct Storefronts: AsyncSequence, Sendable {
        public typealias Element = Storefront

        let source: DeliverySource<Storefront>

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source.iterator()) }

        /// The iterator, which ends when its task is cancelled.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let source: DeliveryIterator<Storefront>

            public mutating func next() async -> Storefront? { await source.next() }
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Storefront? {
                await source.next()
            }
        }
    }
}
