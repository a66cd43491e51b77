internal import StoreModels

/// A purchase that began in the store, in the form of StoreKit 2.
///
/// ```swift
/// for await intent in PurchaseIntent.intents {
///     try await intent.purchase()                     // then .purchasing and .purchased, as with any payment
/// }
/// ```
/// An app iterates these or implements `paymentQueue(_:shouldAddStorePayment:for:)`, never both (M60). An intent that
/// the app does not purchase counts as deferred after ten seconds. It can still be purchased until it expires.
public struct PurchaseIntent: Sendable, Identifiable, Hashable {
    let model: StorePurchaseIntent
    let queue: SKPaymentQueue
    /// The product, with its price and texts.
    public let product: SKProduct

    init(_ model: StorePurchaseIntent, _ queue: SKPaymentQueue) {
        self.model = model
        self.queue = queue
        product = SKProduct(model.product)
    }

    /// The product's identifier, as in StoreKit.
    public var id: String { product.productIdentifier }
    /// The offer of the purchase, one of the product's `discounts`. Nil for none.
    public var offer: SKProductDiscount? {
        model.offer.flatMap { id in product.discounts.first { $0.identifier == id } }
    }

    /// Adds the payment to the queue, once even if called repeatedly. StoreKit's `Product.purchase()` returns the
    /// transaction. Here the queue's observers receive it.
    ///
    /// Returns when the store has accepted the purchase.
    /// - Throws: ``SKError`` when the purchase was decided otherwise or has expired, or the store could not be reached.
    public func purchase() async throws {
        try await decide(
            IntentDecision(
                intentIdentifier: model.intentIdentifier, decision: .continue,
                payment: IntentDecision.payment(of: model)))
    }

    /// Declines the purchase, and records the message shown to the user. StoreKit has no such method.
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

    public static func == (left: PurchaseIntent, right: PurchaseIntent) -> Bool {
        left.model.intentIdentifier == right.model.intentIdentifier
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(model.intentIdentifier) }
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
