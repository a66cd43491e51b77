internal import StoreModels

extension PurchaseIntent {
    /// The purchases that begin in the store, pending ones first.
    public static var intents: PurchaseIntents { PurchaseIntents(queue: .default()) }

    /// The purchases of the app and device of `queue`.
    public static func intents(of queue: SKPaymentQueue) -> PurchaseIntents { PurchaseIntents(queue: queue) }

    /// The promoted purchases. An iterating app handles them for as long as the iterator lives: with the first
    /// iterator, the app's launch declares this to the store, and it ends with the last.
    ///
    /// - Precondition of iterating: No observer of the queue has `shouldAddStorePayment`, and the device has
    ///   `PurchaseIntent` (``StoreConnection/isPurchaseIntentAvailable``), as with the library missing on an older
    ///   system.
    public struct PurchaseIntents: AsyncSequence, Sendable {
        public typealias Element = PurchaseIntent

        let queue: SKPaymentQueue

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(queue: queue, intents: queue.core.promotedPurchases().makeAsyncIterator())
        }

        /// An iterator that ends with the task that waits for it.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let queue: SKPaymentQueue
            var intents: AsyncStream<StoreModels.PurchaseIntent>.Iterator

            public mutating func next() async -> PurchaseIntent? {
                await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> PurchaseIntent? {
                await nextModel(isolation: actor).map { PurchaseIntent($0, queue) }
            }

            private mutating func nextModel(
                isolation actor: isolated (any Actor)?
            ) async -> StoreModels.PurchaseIntent? {
                if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
                    return await intents.next(isolation: actor)
                }
                // Nothing else has the iterator meanwhile; older systems cannot express this.
                nonisolated(unsafe) var iterator = intents
                defer { intents = iterator }
                return await iterator.next()
            }
        }
    }
}
