internal import StoreHTTP
internal import StoreModels

/// A purchase that the customer has begun in the store.
///
/// ```swift
/// for await intent in PurchaseIntent.intents { _ = try await intent.product.purchase() }
/// ```
/// An app iterates these or implements `paymentQueue(_:shouldAddStorePayment:for:)`, never both (M60). An intent that
/// the app does not purchase counts as deferred after ten seconds. It can still be purchased until it expires.
public struct PurchaseIntent: Sendable, Identifiable, Hashable {
    let model: StorePurchaseIntent
    let queue: SKPaymentQueue
    /// The product. Buying it continues this purchase.
    public let product: Product

    init(_ model: StorePurchaseIntent, _ queue: SKPaymentQueue) {
        self.model = model
        self.queue = queue
        product = Product(
            model.product,
            ProductOrigin(queue: queue, storefront: queue.core.sessions.current?.storefront, intent: model))
    }

    /// The product's identifier.
    public var id: Product.ID { product.id }
    /// The offer that the customer has chosen. Nil for none.
    public var offer: Product.SubscriptionOffer? {
        model.offer.flatMap { id in product.offers.first { $0.type == .winBack && $0.id.isExactly(id) } }
    }

    /// The purchases that begin in the store, pending ones first.
    public static var intents: PurchaseIntents { PurchaseIntents(queue: .current) }

    public static func == (left: PurchaseIntent, right: PurchaseIntent) -> Bool {
        left.model.intentIdentifier == right.model.intentIdentifier
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(model.intentIdentifier) }

    /// The sequence of promoted purchases. The app handles them while an iterator exists: the first one declares it to
    /// the store with a launch, and it ends with the last. Every iterator gets everything.
    ///
    /// - Precondition: While it is iterated, no observer of the queue has `shouldAddStorePayment`, and the device has
    ///   `PurchaseIntent` (``StoreConnection/isPurchaseIntentAvailable``).
    public struct PurchaseIntents: AsyncSequence, Sendable {
        public typealias Element = PurchaseIntent

        let queue: SKPaymentQueue

        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(queue: queue, intents: queue.core.promotedPurchases())
        }

        /// The iterator, which ends when its task is cancelled.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let queue: SKPaymentQueue
            let intents: DeliveryIterator<StorePurchaseIntent>

            public mutating func next() async -> PurchaseIntent? {
                await intents.next().map { PurchaseIntent($0, queue) }
            }
            public mutating func next(isolation actor: isolated (any Actor)?) async -> PurchaseIntent? {
                await intents.next().map { PurchaseIntent($0, queue) }
            }
        }
    }
}

/// What StoreKit does not have.
extension PurchaseIntent {
    /// The product in StoreKit 1's form.
    public var skProduct: SKProduct { SKProduct(model.product) }

    /// Returns the purchases of the app and device of `queue`, pending ones first.
    public static func intents(of queue: SKPaymentQueue) -> PurchaseIntents { PurchaseIntents(queue: queue) }

    /// Adds the payment to the queue, once even if called repeatedly. The queue's observers receive the transaction.
    ///
    /// Returns when the store has accepted the purchase.
    /// - Throws: ``SKError`` when the purchase was decided otherwise or has expired, or the store could not be reached.
    public func purchase() async throws {
        try await decide(
            IntentDecision(
                intentIdentifier: model.intentIdentifier, decision: .continue,
                payment: IntentDecision.payment(of: model)))
    }

    /// Declines the purchase, and records the message shown to the user.
    /// - Parameter feedback: The message, at most 500 characters. Nil for none.
    /// - Throws: ``SKError`` when the intent was purchased or has expired.
    public func cancel(feedback: String? = nil) async throws {
        try await decide(
            IntentDecision(
                intentIdentifier: model.intentIdentifier, decision: .cancel, feedback: feedback))
    }

    private func decide(_ decision: IntentDecision) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            var decision = decision
            decision.completion = { error in continuation.resume(with: error.map { .failure($0) } ?? .success(())) }
            queue.core.decide(decision)
        }
    }
}

extension StoreConnection {
    /// Whether the device has ``PurchaseIntent``: iOS and iPadOS 16.4, macOS 14.4, visionOS 1.0. Replaces
    /// `if #available(iOS 16.4, *)` where an app handles promoted purchases either way (M59, M61):
    ///
    /// ```swift
    /// if connection.isPurchaseIntentAvailable {
    ///     watch(PurchaseIntent.intents)
    /// } else {
    ///     queue.add(DelegateObserver.shared)
    /// }
    /// ```
    public var isPurchaseIntentAvailable: Bool { purchaseIntentUnsupported == nil }

    /// The sentence that says why the device has no ``PurchaseIntent``. Nil if it has.
    var purchaseIntentUnsupported: String? {
        PromotionSupport.purchaseIntentUnsupported(
            platform: DeviceLaunch.Platform(rawValue: platform.rawValue) ?? .other, osVersion: osVersion)
    }
}
