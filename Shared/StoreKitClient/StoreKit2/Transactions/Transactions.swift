internal import StoreHTTP
internal import StoreModels

extension Transaction {
    /// A sequence of transactions: a list that ends, or ``updates``, which do not.
    public struct Transactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<Transaction>

        let source: DeliverySource<Element>

        init(_ source: DeliverySource<Element>) { self.source = source }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source.iterator()) }

        /// The iterator, which ends when its task is cancelled.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let source: DeliveryIterator<Element>

            public mutating func next() async -> VerificationResult<Transaction>? { await source.next() }
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async -> VerificationResult<Transaction>? { await source.next() }
        }
    }

    /// The customer's transactions, newest first. Finished consumables only if the connection asks for them.
    public static var all: Transactions { Transactions(.list(.all)) }
    /// The customer's transactions of a product, newest first.
    public static func all(for productID: String) -> Transactions { Transactions(.list(.all, product: productID)) }
    /// The transactions that entitle the customer to products, finished or not.
    public static var currentEntitlements: Transactions { Transactions(.list(.entitlements)) }
    /// The transactions that entitle the customer to a product, several with Family Sharing.
    public static func currentEntitlements(for productID: String) -> Transactions {
        Transactions(.list(.entitlements, product: productID))
    }
    /// The transactions that the app has not finished.
    public static var unfinished: Transactions { Transactions(.list(.unfinished)) }

    /// The transactions that come from outside of ``Product/purchase(options:)``.
    ///
    /// Each iterator begins with everything unfinished. Then come renewals, approved and resolved purchases, those of
    /// other devices, refunds and revocations. The sequence does not end. Every iterator gets everything.
    public static var updates: Transactions {
        let queue = SKPaymentQueue.current
        return Transactions(
            .live {
                queue.core.listen(\.updates) { state in
                    state.deliveries.replay.map { ($0, key: "\($0.unsafePayloadValue.id)") }
                }
            })
    }

    /// Returns the newest transaction of a product, also a refunded or expired one. Nil without any.
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
        await latest(for: productID, .current)
    }
    /// Returns the transaction that entitles the customer to a product. Nil without one.
    public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
        await currentEntitlement(for: productID, .current)
    }

    static func latest(for productID: String, _ queue: SKPaymentQueue) async -> VerificationResult<Transaction>? {
        await queue.core.signedTransactions(.latest, product: productID).first
    }
    static func currentEntitlement(
        for productID: String, _ queue: SKPaymentQueue
    ) async -> VerificationResult<Transaction>? {
        await queue.core.signedTransactions(.entitlements, product: productID).first
    }
}

extension DeliverySource where Element == VerificationResult<Transaction> {
    /// A list of the store.
    static func list(
        _ view: SignedView, product: String? = nil, _ queue: SKPaymentQueue = .current
    ) -> DeliverySource { .list { await queue.core.signedTransactions(view, product: product) } }
}
