/// What the queue tells: every transaction of this app, account and device, in all its states.
///
/// Register one, shared instance at launch and remove it before the app ends. All methods are called one after the other
/// on the callback queue (``SKPaymentQueue``), never on the main thread unless the app asked for it, so an observer is
/// `Sendable`; whoever touches the user interface hops to the main queue, as with StoreKit. The queue does not retain it.
///
/// ```swift
/// final class StoreObserver: NSObject, SKPaymentTransactionObserver {
///     static let shared = StoreObserver()
///     func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) { … }
/// }
/// ```
/// Everything but `updatedTransactions` may be left out.
public protocol SKPaymentTransactionObserver: AnyObject, Sendable {
    /// Transactions are new or have a new state. Each state is told once while an observer is registered; what is not
    /// finished is told again at each launch.
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction])

    /// Transactions have left the queue: they were finished, here or on another device.
    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction])

    /// A restore failed. What it had restored by then stays in the queue.
    /// - Parameter error: An ``SKError``.
    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error)

    /// A restore is done; everything it restored was told before.
    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue)

    /// Downloads have a new state or have come further.
    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload])

    /// A purchase was begun in the store; `true` continues it here. The store does not send these yet: this version
    /// launches without promoted purchases.
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool

    /// The customer shops in another country now; `queue.storefront` says in which.
    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue)

    /// The customer may no longer use these: a purchase was refunded or taken back. Every device on which the app was
    /// launched before is told, at its next launch if not at once; where a connection breaks meanwhile, twice.
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

    public func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool { false }

    public func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) {}

    public func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {}
}
