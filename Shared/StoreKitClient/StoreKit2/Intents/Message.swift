/// A message of the store to the customer.
///
/// The store shows its messages by itself while the app does not iterate ``messages``.
public struct Message: Hashable, Sendable {
    /// The subject.
    public let reason: Reason

    /// The subjects of messages.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// Another one.
        public static let generic = Reason(rawValue: 0)
        /// A higher price waits for the customer's consent.
        public static let priceIncreaseConsent = Reason(rawValue: 1)
        /// The customer could not be charged.
        public static let billingIssue = Reason(rawValue: 2)
        /// The customer may come back with an offer. This store sends none.
        public static let winBackOffer = Reason(rawValue: 3)
        /// The subject in English.
        public var localizedDescription: String {
            let names = ["Generic", "Price Increase Consent", "Billing Issue", "Win-back Offer"]
            return names.indices.contains(rawValue) ? names[rawValue] : "Message \(rawValue)"
        }
    }

    /// Shows the message: a price consent as the account's prompt. Other messages have none. The anchor has no effect.
    @MainActor public func display(in anchor: some AnyObject) throws {
        if reason == .priceIncreaseConsent { SKPaymentQueue.current.showPriceConsentIfNeeded() }
    }

    /// The store's messages. The sequence does not end.
    public static var messages: Messages {
        let queue = SKPaymentQueue.current
        return Messages(
            source: .live {
                queue.core.listen(\.messages) { state in
                    state.priceConsents.map { (Message(reason: .priceIncreaseConsent), key: $0) }
                }
            })
    }

    /// A sequence of messages.
    public struct Messages: AsyncSequence, Sendable {
        public typealias Element = Message

        let source: DeliverySource<Message>

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source.iterator()) }

        /// The iterator, which ends when its task is cancelled.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let source: DeliveryIterator<Message>

            public mutating func next() async -> Message? { await source.next() }
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Message? { await source.next() }
        }
    }
}
