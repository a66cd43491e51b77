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
/// Every method but ``canMakePayments()`` returns immediately, and all can be called on any thread. Callbacks come one
/// after the other: on the main queue while a main run loop, `dispatchMain()` or an async `main` serves it, on a
/// background queue otherwise. ``StoreConnection/callbackTarget`` sets another queue.
///
/// A *run* begins with the first observer and ends when the last is removed. In one run an observer receives each
/// revision of a transaction once, however often the connection breaks. Each run begins with every unfinished
/// transaction.
open class SKPaymentQueue: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: `ownCore` is set by an initializer, the rest is behind locks.
    private struct DelegateReference: @unchecked Sendable {
        // Unchecked: the app's delegate is called on the callback queue only.
        weak var delegate: (any SKPaymentQueueDelegate)?
    }

    private static let shared = SKPaymentQueue()
    /// The default queue's core, or nil before the first call that needs the store.
    private static let sharedCore = LockedValue<QueueCore?>(nil)

    /// The core of a queue with its own connection, or nil for the app's queue.
    private var ownCore: QueueCore?
    private let delegateReference = LockedValue(DelegateReference())

    /// Points the default queue at another store, for a test. Observers and iterators go along.
    static func redirectDefault(to connection: StoreConnection) {
        StoreConnection.beginTest()
        let made = QueueCore(connection, timing: ClientTiming())
        made.state.withLock { $0.queue = shared }
        let former = sharedCore.withLock { core in
            defer { core = made }
            return core
        }
        former?.handOver(to: made)
    }

    /// The app's queue, with the connection of ``StoreConnection/use(_:)`` or of the environment.
    open class func `default`() -> SKPaymentQueue { shared }

    /// Whether the customer may pay on this device.
    ///
    /// The current session says so. Before there is one, the call waits for it, at most 5 s. While the store cannot be
    /// reached the result is true, and the store decides when it receives a payment.
    open class func canMakePayments() -> Bool { `default`().canMakePayments }

    /// Creates another object for the app's queue, for subclasses in an app's tests.
    public override init() { super.init() }

    /// Creates a separate queue, for another device or account in the same process.
    ///
    /// The first use launches the app on the device. Add an observer first: the launch declares whether the app handles
    /// promoted purchases, and a later change launches the app again.
    public convenience init(connection: StoreConnection) { self.init(connection: connection, timing: ClientTiming()) }

    convenience init(connection: StoreConnection, timing: ClientTiming) {
        self.init()
        let core = QueueCore(connection, timing: timing)
        core.state.withLock { $0.queue = self }
        ownCore = core
    }

    /// The implementation. The first call that needs the default queue's creates it, so queues, requests and payments
    /// can be made without a store.
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

    /// The implementation, or nil before the first call that needs the store.
    var startedCore: QueueCore? { ownCore ?? Self.sharedCore.withLock { $0 } }

    /// Whether the customer may pay on this device, as ``canMakePayments()`` says.
    open var canMakePayments: Bool {
        core.sessions.waitForFirst(core.timing.firstSessionWait)?.canMakePayments ?? true
    }

    /// The customer's storefront, or nil until there is a session. Reading it opens a session if there is none.
    open var storefront: SKStorefront? {
        if let session = core.sessions.current { return SKStorefront(session.storefront) }
        core.sessions.session { _ in }
        return nil
    }

    /// The unfinished transactions, oldest first. Without an observer, only the payments on their way to the store.
    open var transactions: [SKPaymentTransaction] { startedCore?.transactions ?? [] }

    /// The delegate, not retained. It decides whether a purchase continues in another storefront, and whether a price
    /// consent is shown.
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

    /// The location of the app's receipt, which ``SKReceiptRefreshRequest`` fetches. In StoreKit it is
    /// `Bundle.main.appStoreReceiptURL`. Here a process may have several queues, each with its receipt.
    ///
    /// ```swift
    /// let receiptData = try Data(contentsOf: SKPaymentQueue.default().appStoreReceiptURL).base64EncodedString()
    /// ```
    open var appStoreReceiptURL: URL { core.receipt.url }

    // MARK: Observers

    /// The registered observers, in the order of registration.
    open var transactionObservers: [any SKPaymentTransactionObserver] {
        startedCore?.state.withLock { $0.observers.all } ?? []
    }

    /// Registers an observer, without retaining it. The observer then receives every unfinished transaction.
    ///
    /// - Precondition: If the observer has `shouldAddStorePayment`, ``PurchaseIntent/intents`` has no iterator.
    open func add(_ observer: any SKPaymentTransactionObserver) { core.add(observer) }

    /// Removes an observer. A callback that has begun runs to its end, and no further callback begins.
    open func remove(_ observer: any SKPaymentTransactionObserver) { startedCore?.remove(observer) }

    // MARK: Payments

    /// Adds a payment. The queue takes a copy. The first callback is `.purchasing`.
    ///
    /// - Precondition: The payment names a product, and its quantity is 1…10. StoreKit throws an Objective-C exception
    ///   otherwise, which Swift code cannot catch.
    open func add(_ payment: SKPayment) {
        let fields = PaymentFields(payment)
        if fields.productIdentifier.isEmpty { fatalError("a payment is for a product") }
        guard (1...10).contains(fields.quantity) else { fatalError("a payment is for 1 to 10 pieces") }
        core.add(fields)
    }

    /// Removes a transaction from the queue permanently. Deliver the product first. Finishing it again does nothing. A
    /// deferred transaction stays in the queue, with a warning.
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

    /// Restores the customer's non-consumables and auto-renewable subscriptions. Observers receive a new `.restored`
    /// transaction for each, then the restore's end.
    open func restoreCompletedTransactions() { core.restore(applicationUsername: nil) }

    /// Restores purchases as ``restoreCompletedTransactions()`` does.
    /// - Parameter username: The app's own account. The store records it but does not filter by it. An empty string
    ///   means none.
    open func restoreCompletedTransactions(withApplicationUsername username: String?) {
        core.restore(applicationUsername: username.nonEmpty)
    }

    // MARK: Downloads

    /// Starts downloads, failed ones again.
    open func start(_ downloads: [SKDownload]) { core.perform(.start, on: downloads) }
    /// Pauses active downloads.
    open func pause(_ downloads: [SKDownload]) { core.perform(.pause, on: downloads) }
    /// Resumes paused downloads where they stopped.
    open func resume(_ downloads: [SKDownload]) { core.perform(.resume, on: downloads) }
    /// Cancels downloads permanently, and removes their partial content.
    open func cancel(_ downloads: [SKDownload]) { core.perform(.cancel, on: downloads) }

    // MARK: Sheets of the store

    /// Asks the store to show pending price consents, as prompts of the account. Without one it does nothing.
    open func showPriceConsentIfNeeded() { startedCore?.showPriceConsents() }

    /// Lets the customer redeem an offer code, which ``StoreConnection/enterOfferCode`` enters. Observers get the
    /// transaction. A code that is not redeemed is reported to the connection's log.
    open func presentCodeRedemptionSheet() {
        let core = self.core
        // The caller of StoreKit's method does not wait for the customer.
        Task {
            do {
                try await core.presentRedemption()
            } catch {
                StoreConnection.warn("no offer code was redeemed: \(error.localizedDescription)", core.connection)
            }
        }
    }
}
