/// Receives every transaction of this app, account and device, in all its states.
///
/// Register one shared instance at launch and remove it before the app ends. All methods are called one after the other
/// on the callback queue (``SKPaymentQueue``): the main queue where a main run loop runs, else a background queue. The
/// payment queue does not retain it.
///
/// ```swift
/// final class StoreObserver: NSObject, SKPaymentTransactionObserver {
///     static let shared = StoreObserver()
///     func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) { … }
/// }
/// ```
/// Every method except `updatedTransactions` is optional. A subclass cannot add a method that its superclass leaves
/// out, because Swift has no optional methods without Objective-C: declare it in the class that conforms, and override
/// it. The queue warns of an observer that inherits its conformance.
public protocol SKPaymentTransactionObserver: NSObjectProtocol {
    /// `Bool` where the observer has ``paymentQueue(_:shouldAddStorePayment:for:)``; Swift infers it. By this type the
    /// queue sees, without asking, whether the app handles promoted purchases, and declares it at the launch.
    associatedtype StorePaymentDecision: StorePaymentAnswer
    /// The same for the older name.
    associatedtype OlderStorePaymentDecision: StorePaymentAnswer

    /// Transactions are new or have a new state. Each state is delivered once while an observer is registered;
    /// unfinished transactions are delivered again at each launch.
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

    /// Transactions have left the queue: they were finished, here or on another device.
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

    /// A restore failed. What it had restored by then stays in the queue.
    /// - Parameter error: An ``SKError``.
    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

    /// A restore is done; everything it restored was delivered before.
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

    /// Downloads have a new state or have progressed.
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

    /// A purchase began in the store: `true` adds its payment to the queue, `false` defers or cancels it. To defer it,
    /// keep the payment and add it later; it is charged once. To cancel it, tell the user why, and notify the store
    /// with ``SKPaymentQueue/cancelStorePayment(_:feedback:completionHandler:)``. Asked once for each purchase and run;
    /// without an answer for ten seconds it counts as deferred, and a later `true` still continues it.
    /// - Returns: `Bool`.
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> StorePaymentDecision

    /// The same method under its name in earlier SDKs. Called when the other one is not implemented.
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, forProduct product: SKProduct
    ) -> OlderStorePaymentDecision

    /// The customer's storefront has changed; `queue.storefront` is the new one.
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

    /// The customer may no longer use these: a purchase was refunded or revoked. Every device on which the app was
    /// launched before is notified, immediately or at its next launch; where a connection breaks meanwhile, twice.
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

    /// The default, whose type says that the app does not handle promoted purchases.
    public func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> NoStorePaymentAnswer { NoStorePaymentAnswer() }

    /// The default, whose type says that the app does not handle promoted purchases.
    public func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, forProduct product: SKProduct
    ) -> NoStorePaymentAnswer { NoStorePaymentAnswer() }

    public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}

    public func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
}
