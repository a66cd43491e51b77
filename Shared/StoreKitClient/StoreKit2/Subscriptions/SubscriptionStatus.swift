internal import StoreHTTP
internal import StoreModels

/// A customer's state in a subscription group.
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status

extension Product.SubscriptionInfo {
    /// A customer's state in a subscription group.
    public struct Status: Hashable, Sendable {
        /// The state.
        public let state: RenewalState
        /// The transaction of the present or the last period.
        public let transaction: VerificationResult<Transaction>
        /// What the next renewal will be.
        public let renewalInfo: VerificationResult<RenewalInfo>

        init(_ signed: SignedSubscriptionStatus, by verifier: StoreVerifier) {
            state = RenewalState(rawValue: signed.state)
            transaction = verifier.result(signed.signedTransaction)
            renewalInfo = verifier.result(signed.signedRenewalInfo)
        }

        /// The changes of the customer's subscriptions. The sequence does not end. Every iterator gets everything.
        public static var updates: Statuses {
            let queue = SKPaymentQueue.current
            return Statuses(source: .live { queue.core.listen(\.statusUpdates) })
        }

        /// The customer's statuses, by group. The sequence ends, and is empty when the store cannot be asked.
        public static var all: AsyncStream<(groupID: String, statuses: [Status])> {
            let queue = SKPaymentQueue.current
            let (stream, continuation) = AsyncStream.makeStream(of: (groupID: String, statuses: [Status]).self)
            let task = Task { @concurrent in
                for group in (try? await queue.core.statuses()) ?? [] { continuation.yield(group) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
            return stream
        }

        /// A sequence of changes of the customer's subscriptions.
        public struct Statuses: AsyncSequence, Sendable {
            public typealias Element = Status

            let source: DeliverySource<Status>

            public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source.iterator()) }

            /// The iterator, which ends when its task is cancelled.
            public struct AsyncIterator: AsyncIteratorProtocol {
                let source: DeliveryIterator<Status>

                public mutating func next() async -> Status? { await source.next() }
                public mutating func next(isolation actor: isolated (any Actor)?) async -> Status? {
                    await source.next()
                }
            }
        }
    }

    /// The customer's statuses in this subscription's group. Empty for who never subscribed.
    /// - Throws: ``StoreKitError`` when the store cannot be asked.
    public var status: [Status] {
        get async throws { try await queue.core.statuses(group: subscriptionGroupID).flatMap(\.statuses) }
    }

    /// Returns the customer's statuses in a group. Empty for who never subscribed.
    /// - Throws: ``StoreKitError`` when the store cannot be asked.
    public static func status(for groupID: String) async throws -> [Status] {
        try await SKPaymentQueue.current.core.statuses(group: groupID).flatMap(\.statuses)
    }

    /// Returns the status of the subscription that a transaction belongs to. Nil without one.
    /// - Throws: ``StoreKitError`` when the store cannot be asked.
    public static func status(transactionID: UInt64) async throws -> Status? {
        try await SKPaymentQueue.current.core.statuses(transaction: transactionID).first?.statuses.first
    }
}
