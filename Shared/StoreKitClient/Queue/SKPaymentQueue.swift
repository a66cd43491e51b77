import Foundation
internal import StoreModels

/// The queue of transactions between an app and the store.
///
/// ```swift
/// SKPaymentQueue.default().add(StoreObserver.shared)              // at launch
/// SKPaymentQueue.default().add(SKPayment(product: product))       // purchasing, then purchased, failed or deferred
/// SKPaymentQueue.default().finishTransaction(transaction)         // when it is delivered
/// SKPaymentQueue.default().remove(StoreObserver.shared)           // before the app ends
/// ```
/// Every method returns at once and can be called on any thread. Callbacks come one after the other on a serial queue of
/// the library, which needs no run loop; ``StoreConnection/callbackTarget`` puts them elsewhere.
///
/// A *run* begins with the first observer and ends when the last is removed. In one run an observer is told of each
/// revision of a transaction once, however often the connection breaks; each run begins with everything unfinished.
public final class SKPaymentQueue: NSObject, Sendable {
    let core: QueueCore

    private static let shared = SKPaymentQueue(connection: .defaultConnection())

    /// The app's queue, with the connection of ``StoreConnection/use(_:)`` or of the environment.
    public class func `default`() -> SKPaymentQueue { shared }

    /// Whether the customer may pay on this device.
    ///
    /// Answered from the last session. Before there is one, the call waits for it, 5 s at most; a store that cannot be
    /// reached forbids nothing, and decides when a payment gets there.
    public class func canMakePayments() -> Bool { `default`().canMakePayments }

    /// A queue of its own: another device or another account in the same process.
    ///
    /// Its first use launches the app on the device. An observer should come first: the launch says whether the app handles
    /// promoted purchases, and if that changes the app is launched once more.
    public convenience init(connection: StoreConnection) { self.init(connection: connection, timing: ClientTiming()) }

    init(connection: StoreConnection, timing: ClientTiming) {
        core = QueueCore(connection, timing: timing)
        super.init()
        core.state.withLock { $0.queue = self }
    }

    /// Whether the customer may pay on this device; see ``canMakePayments()``.
    public var canMakePayments: Bool {
        core.sessions.waitForFirst(core.timing.firstSessionWait)?.canMakePayments ?? true
    }

    /// Where the customer shops; nil until the store has said so. Asking is a launch if there was none.
    public var storefront: SKStorefront? {
        if let session = core.sessions.current { return SKStorefront(session.storefront) }
        core.sessions.session { _ in }
        return nil
    }

    /// The unfinished transactions, oldest first. Without an observer only the payments that are on their way.
    public var transactions: [SKPaymentTransaction] { core.transactions }

    // MARK: The receipt

    /// Where the app's receipt lies once ``SKReceiptRefreshRequest`` has fetched it: `Bundle.main.appStoreReceiptURL` in
    /// StoreKit. A bundle knows no store here, and a process may have several queues, so it is the queue's.
    ///
    /// ```swift
    /// let receiptData = try Data(contentsOf: SKPaymentQueue.default().appStoreReceiptURL).base64EncodedString()
    /// ```
    public var appStoreReceiptURL: URL { core.receipt.url }

    // MARK: Observers

    public var transactionObservers: [any SKPaymentTransactionObserver] {
        core.state.withLock { $0.observers.all }
    }

    /// Registers an observer, without retaining it. It is told of everything unfinished without any other call.
    ///
    /// - Precondition: Nobody iterates ``PurchaseIntent/intents`` if it has `shouldAddStorePayment`.
    public func add(_ observer: any SKPaymentTransactionObserver) { core.add(observer) }

    /// Ends a registration. A callback that has begun runs to its end; none begins any more.
    public func remove(_ observer: any SKPaymentTransactionObserver) { core.remove(observer) }

    // MARK: Payments

    /// Buys. The queue takes a copy; the first callback is `.purchasing`.
    ///
    /// - Precondition: The payment names a product, and its quantity is 1…10. StoreKit throws an Objective-C exception
    ///   otherwise, which no Swift code can catch.
    public func add(_ payment: SKPayment) {
        let fields = payment.fields
        precondition(!fields.productIdentifier.isEmpty, "a payment is for a product")
        precondition((1...10).contains(fields.quantity), "a payment is for 1 to 10 pieces")
        core.add(fields)
    }

    /// Takes a transaction out of the queue, for good: deliver first. Repeating it does nothing.
    ///
    /// - Precondition: The transaction is purchased, failed or restored. StoreKit throws an Objective-C exception for
    ///   one that is purchasing, which no Swift code can catch.
    public func finishTransaction(_ transaction: SKPaymentTransaction) {
        precondition(
            transaction.transactionState.isFinishable,
            "a transaction is finished when it is purchased, failed or restored; this one is "
                + "\(transaction.transactionState)")
        core.finish(transaction)
    }

    /// Asks for the non-consumables and auto-renewable subscriptions that were bought before: each comes as a new
    /// `.restored` transaction, then the restore's end.
    public func restoreCompletedTransactions() { core.restore(applicationUsername: nil) }

    /// - Parameter username: Which of the app's own accounts asks. The store keeps it; it filters nothing.
    public func restoreCompletedTransactions(withApplicationUsername username: String?) {
        core.restore(applicationUsername: username)
    }

    // MARK: Downloads

    /// Fetches content. One that has failed is begun again.
    public func start(_ downloads: [SKDownload]) { core.perform(.start, on: downloads) }
    public func pause(_ downloads: [SKDownload]) { core.perform(.pause, on: downloads) }
    /// Goes on where a paused download stopped.
    public func resume(_ downloads: [SKDownload]) { core.perform(.resume, on: downloads) }
    /// Ends downloads for good, and removes what has come of them.
    public func cancel(_ downloads: [SKDownload]) { core.perform(.cancel, on: downloads) }
}
