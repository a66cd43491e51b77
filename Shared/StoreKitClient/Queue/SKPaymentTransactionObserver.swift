/// Receives the transactions of this app, account and device, in all their states.
///
/// Register one shared instance at launch, and remove it before the app ends. All methods are called one after the
/// other on the callback queue: the main queue while a main run loop, `dispatchMain()` or an async `main` serves it,
/// else a background queue (``SKPaymentQueue``). The payment queue does not retain the observer.
///
/// ```swift
/// final class StoreObserver: NSObject, SKPaymentTransactionObserver {
///     static let shared = StoreObserver()
///     func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) { … }
/// }
/// ```
/// Every method except `updatedTransactions` is optional. A subclass cannot add a method that its superclass leaves
/// out, because Swift has no optional methods without Objective-C. Declare it in the class that conforms, and override
/// it. The queue warns about an observer that inherits its conformance.
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
    /// The return type of ``paymentQueue(_:shouldAddStorePayment:for:)``, inferred by Swift: `Bool` where the observer
    /// implements it. By this type the queue knows whether the app handles promoted purchases, and declares it with the
    /// launch.
    associatedtype StorePaymentDecision: StorePaymentOutcome
    /// The return type of the method under its older name.
    associatedtype OlderStorePaymentDecision: StorePaymentOutcome

    /// Receives transactions that are new or have a new state. Each state is delivered once while an observer is
    /// registered. Unfinished transactions are delivered again at each launch.
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

    /// Receives transactions that have left the queue: they were finished, here or on another device.
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

    /// Reports that a restore failed. Transactions that it had restored by then stay in the queue.
    /// - Parameter error: An ``SKError``.
    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

    /// Reports that a restore is done. All restored transactions were delivered before.
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

    /// Receives downloads that have a new state or have progressed.
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

    /// Decides about a purchase that began in the store. To defer it, keep the payment and add it later. It is charged
    /// once. To cancel it, explain it to the user, and call
    /// ``SKPaymentQueue/cancelStorePayment(_:feedback:completionHandler:)``. The queue asks once for each purchase and
    /// run. Without an answer for ten seconds the purchase counts as deferred, and a later `true` still continues it.
    /// - Returns: A `Bool`: `true` adds the payment to the queue, `false` defers or cancels the purchase.
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> StorePaymentDecision

    /// The same method under its older name. The queue calls it when the other one is not implemented.
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, forProduct product: SKProduct
    ) -> OlderStorePaymentDecision

    /// Reports that the customer's storefront has changed to `queue.storefront`.
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

    /// Receives the products that the customer may no longer use after a refund or revocation. Every device on which
    /// the app was launched before is notified, immediately or at its next launch, and twice if a connection breaks
    /// meanwhile.
    func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String])
}

extension SKPaymentTransactionObserver {
    public func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {}

    public func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {}

    public func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {}

    public func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {}

    /// The default, whose return type marks the observer as not handling promoted purchases.
    public func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> NoStorePaymentOutcome { NoStorePaymentOutcome() }

    /// The default, whose return type marks the observer as not handling promoted purchases.
    public func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, forProduct product: SKProduct
    ) -> NoStorePaymentOutcome { NoStorePaymentOutcome() }

    public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}

    public func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
}

/// The return type of an observer's `shouldAddStorePayment`, which is `Bool`. Apps add no other conformance.
public protocol StorePaymentOutcome: Sendable {}

extension Bool: StorePaymentOutcome {}

/// The return type of `shouldAddStorePayment` in an observer that does not implement it. By this type the queue knows
/// in advance that the observer does not handle promoted purchases (M69, M75). Only this library can make a value.
public struct NoStorePaymentOutcome: StorePaymentOutcome {
    init() {}
}

extension SKPaymentTransactionObserver {
    /// Whether the observer implements `shouldAddStorePayment`, in either spelling.
    static var handlesStorePayments: Bool {
        StorePaymentDecision.self == Bool.self || OlderStorePaymentDecision.self == Bool.self
    }

    /// Asks the observer about a purchase intent.
    /// - Returns: Whether to continue. False if the observer implements neither method.
    func shouldAdd(_ payment: SKPayment, for product: SKProduct, to queue: SKPaymentQueue) -> Bool {
        let decision = paymentQueue(queue, shouldAddStorePayment: payment, for: product)
        if let decision = decision as? Bool { return decision }
        return paymentQueue(queue, shouldAddStorePayment: payment, forProduct: product) as? Bool ?? false
    }
}
