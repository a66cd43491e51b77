internal import StoreHTTP
internal import StoreModels

/// The queue of transactions between an app and the store.
///
/// ```swift
/// SKPaymentQueue.default().add(StoreObserver.shared)              // at launch
/// SKPaymentQueue.default().add(SKPayment(product: product))       // purchasing, then purchased, failed or deferred
/// SKPaymentQueue.default().finishTransaction(transaction)         // when it is delivered
/// SKPaymentQueue.default().remove(StoreObserver.shared)           // before the app ends
/// ```
/// Every method returns immediately and can be called on any thread. Callbacks come one after the other: on the main
/// queue while the main run loop runs, on a background queue while it does not; ``StoreConnection/callbackTarget`` puts
/// them elsewhere.
///
/// A *run* begins with the first observer and ends when the last is removed. In one run an observer receives each
/// revision of a transaction once, however often the connection breaks; each run begins with everything unfinished.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: what changes is behind locks.
    private struct DelegateReference: @unchecked Sendable {
        // Unchecked: the delegate is the app's, and is called on the callback queue alone.
        weak var delegate: (any SKPaymentQueueDelegate)?
    }

    private static let shared = SKPaymentQueue()
    /// What is behind the default queue, once something of the store was asked.
    private static let sharedCore = Locked<QueueCore?>(nil)

    /// Nil for the app's queue.
    private var ownCore: QueueCore?
    private let delegateReference = Locked(DelegateReference())

    /// The app's queue, with the connection of ``StoreConnection/use(_:)`` or of the environment.
    open class func `default`() -> SKPaymentQueue { shared }

    /// Whether the customer may pay on this device.
    ///
    /// The answer comes from the last session. Before there is one, the call waits for it, at most 5 s. A store that
    /// cannot be reached forbids nothing, and decides when a payment gets there.
    open class func canMakePayments() -> Bool { `default`().canMakePayments }

    /// Another object for the app's queue, for subclasses in an app's tests.
    public override init() { super.init() }

    /// A separate queue: another device or another account in the same process.
    ///
    /// Its first use launches the app on the device. Add an observer first: the launch declares whether the app handles
    /// promoted purchases, and if that changes the app is launched once more.
    public convenience init(connection: StoreConnection) { self.init(connection: connection, timing: ClientTiming()) }

    convenience init(connection: StoreConnection, timing: ClientTiming) {
        self.init()
        let core = QueueCore(connection, timing: timing)
        core.state.withLock { $0.queue = self }
        ownCore = core
    }

    /// The part that communicates with the store. The default queue's is made by the first call that needs it, so that
    /// queues, requests and payments can be made without a store.
    var core: QueueCore {
        if let ownCore { return ownCore }
        return Self.sharedCore.withLock { core in
            if let core { return core }
            let made = QueueCore(.defaultConnection(), timing: ClientTiming())
            made.state.withLock { $0.queue = Self.shared }
            core = made
            return made
        }
    }

    /// Nil while nothing of the store was asked.
    private var startedCore: QueueCore? { ownCore ?? Self.sharedCore.withLock { $0 } }

    /// Whether the customer may pay on this device; see ``canMakePayments()``.
    open var canMakePayments: Bool {
        core.sessions.waitForFirst(core.timing.firstSessionWait)?.canMakePayments ?? true
    }

    /// The customer's storefront; nil until the store has reported it. Reading it launches the app if it was not
    /// launched before.
    open var storefront: SKStorefront? {
        if let session = core.sessions.current { return SKStorefront(session.storefront) }
        core.sessions.session { _ in }
        return nil
    }

    /// The unfinished transactions, oldest first. Without an observer only the payments that are on their way.
    open var transactions: [SKPaymentTransaction] { startedCore?.transactions ?? [] }

    /// The delegate, not retained. It is asked during a purchase whether it continues in another storefront, and
    /// whether a price consent is shown.
    open var delegate: (any SKPaymentQueueDelegate)? {
        get { delegateReference.withLock { $0.delegate } }
        set {
            if let newValue {
                InheritedConformance.warn(of: newValue, as: "delegate", startedCore?.connection) {
                    $0 is any SKPaymentQueueDelegate.Type
                }
            }
            delegateReference.withLock { $0.delegate = newValue }
        }
    }

    // MARK: The receipt

    /// The location of the app's receipt once ``SKReceiptRefreshRequest`` has fetched it:
    /// `Bundle.main.appStoreReceiptURL` in StoreKit. A bundle has no store here, and a process may have several queues,
    /// so it is the queue's.
    ///
    /// ```swift
    /// let receiptData = try Data(contentsOf: SKPaymentQueue.default().appStoreReceiptURL).base64EncodedString()
    /// ```
    open var appStoreReceiptURL: URL { core.receipt.url }

    // MARK: Observers

    open var transactionObservers: [any SKPaymentTransactionObserver] {
        startedCore?.state.withLock { $0.observers.all } ?? []
    }

    /// Registers an observer, without retaining it. It receives everything unfinished without any other call.
    ///
    /// - Precondition: If it has `shouldAddStorePayment`, ``PurchaseIntent/intents`` has no iterator.
    open func add(_ observer: any SKPaymentTransactionObserver) { core.add(observer) }

    /// Ends a registration. A callback that has begun runs to its end; no further callback begins.
    open func remove(_ observer: any SKPaymentTransactionObserver) { startedCore?.remove(observer) }

    // MARK: Payments

    /// Adds a payment. The queue takes a copy; the first callback is `.purchasing`.
    ///
    /// - Precondition: The payment names a product, and its quantity is 1…10. StoreKit throws an Objective-C exception
    ///   otherwise, which Swift code cannot catch.
    open func add(_ payment: SKPayment) {
        let fields = PaymentFields(payment)
        if fields.productIdentifier.isEmpty { fatalError("a payment is for a product") }
        guard (1...10).contains(fields.quantity) else { fatalError("a payment is for 1 to 10 pieces") }
        core.add(fields)
    }

    /// Removes a transaction from the queue permanently: deliver first. Repeating it does nothing, and neither does
    /// finishing a deferred one: the queue warns of it and keeps it.
    ///
    /// - Precondition: The transaction is not purchasing. StoreKit throws an Objective-C exception for one that is,
    ///   which Swift code cannot catch.
    open func finishTransaction(_ transaction: SKPaymentTransaction) {
        guard let queued = transaction.queued else {
            return StoreConnection.warn(
                "a transaction that the store did not make cannot be finished", startedCore?.connection)
        }
        switch transaction.transactionState {
        case .purchasing:
            fatalError("a transaction is finished when it is purchased, failed or restored; this one is purchasing")
        case .deferred:
            StoreConnection.warn(
                "a deferred transaction is not finished: it stays in the queue until it is approved or declined",
                startedCore?.connection)
        default: core.finish(queued)
        }
    }

    /// Requests the non-consumables and auto-renewable subscriptions that were bought before: each comes as a new
    /// `.restored` transaction, then the restore's end.
    open func restoreCompletedTransactions() { core.restore(applicationUsername: nil) }

    /// - Parameter username: The app's own account that asks. The store keeps it; it filters nothing. An empty string
    ///   means none.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {
        core.restore(applicationUsername: username.nonEmpty)
    }

    // MARK: Downloads

    /// Starts downloads. A failed one is started again.
    open func start(_ downloads: [SKDownload]) { core.perform(.start, on: downloads) }
    open func pause(_ downloads: [SKDownload]) { core.perform(.pause, on: downloads) }
    /// Resumes paused downloads where they stopped.
    open func resume(_ downloads: [SKDownload]) { core.perform(.resume, on: downloads) }
    /// Cancels downloads permanently, and removes their partial content.
    open func cancel(_ downloads: [SKDownload]) { core.perform(.cancel, on: downloads) }

    // MARK: Sheets of the store

    /// Asks the store to show a pending price increase that needs consent: a prompt of the account. Without one it does
    /// nothing.
    open func showPriceConsentIfNeeded() { startedCore?.showPriceConsents() }

    /// Shows a sheet for offer codes in StoreKit. This store has none, and a tool has no screen: the call does nothing.
    open func presentCodeRedemptionSheet() {
        StoreConnection.warn("this store has no offer codes: no redemption sheet is shown", startedCore?.connection)
    }
}
