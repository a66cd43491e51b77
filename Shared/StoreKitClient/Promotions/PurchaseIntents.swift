internal import StoreModels

extension PurchaseIntent {
    /// The purchases of the default queue that begin in the store, pending ones first.
    public static var intents: PurchaseIntents { PurchaseIntents(queue: .default()) }

    /// Returns the purchases of the app and device of `queue`, pending ones first.
    public static func intents(of queue: SKPaymentQueue) -> PurchaseIntents { PurchaseIntents(queue: queue) }

    /// The sequence of promoted purchases. The app handles them while an iterator exists: the first one declares it to
    /// the store with a launch, and it ends with the last.
    ///
    /// - Precondition: While it is iterated, no observer of the queue has `shouldAddStorePayment`, and the device has
    ///   `PurchaseIntent` (``StoreConnection/isPurchaseIntentAvailable``).
    public struct PurchaseIntents: AsyncSequence, Sendable {
        public typealias Element = PurchaseIntent

        let queue: SKPaymentQueue

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(queue: queue, intents: queue.core.promotedPurchases().makeAsyncIterator())
        }

        /// The iterator, which ends when its task is cancelled.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let queue: SKPaymentQueue
            var intents: AsyncStream<StorePurchaseIntent>.Iterator

            public mutating func next() async -> PurchaseIntent? {
                await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> PurchaseIntent? {
                await nextModel(isolation: actor).map { PurchaseIntent($0, queue) }
            }

            private mutating func nextModel(
                isolation actor: isolated (any Actor)?
            ) async -> StorePurchaseIntent? {
                if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
                    return await intents.next(isolation: actor)
                }
                // Only this call uses the iterator meanwhile; older systems cannot express this.
                nonisolated(unsafe) var iterator = intents
                defer { intents = iterator }
                return await iterator.next()
            }
        }
    }
}
