internal import StoreModels

/// The state of a queue, kept behind its lock.
struct QueueState: Sendable {
    weak var queue: SKPaymentQueue?
    var table: UnfinishedTransactions
    var observers = QueueObservers()
    /// The app's objects of the queue's downloads, by identifier.
    var downloads: [String: SKDownload] = [:]
    var intents = PendingIntents()
    /// The iterators of ``PurchaseIntent/intents``.
    private(set) var intentListeners: [Int: AsyncStream<StorePurchaseIntent>.Continuation] = [:]
    private var nextListener = 0
    /// The stream, or nil without an observer or iterator.
    var stream: RunningStream?
    var nextStream = 0
    var restoresEnded = BoundedSet<String>(count: ClientLimits.restoresMax)
    /// The storefront changes that the delegate was asked about.
    var storefrontsAsked = BoundedSet<String>(count: ClientLimits.questionsMax)
    /// The subscriptions with a pending price consent, by original transaction.
    var priceConsents: Set<String> = []
    /// The price consents that the delegate was asked about in this run.
    var consentsAsked = BoundedSet<String>(count: ClientLimits.questionsMax)
    /// The number of enqueued and running callbacks.
    var callbackCount = 0
    /// The stream's reader, while it waits for callbacks.
    var waiting: [CheckedContinuation<Void, Never>] = []

    init(deviceId: String) { table = UnfinishedTransactions(deviceId: deviceId) }

    var isObserved: Bool { !observers.isEmpty || !intentListeners.isEmpty }

    /// How the app handles promoted purchases.
    var handler: DeviceLaunch.PromotedPurchases {
        if observers.handlesStorePayments { return .delegate }
        return intentListeners.isEmpty ? .none : .purchaseIntent
    }

    /// - Returns: The listener's number.
    mutating func listen(_ listener: AsyncStream<StorePurchaseIntent>.Continuation) -> Int {
        defer { nextListener += 1 }
        intentListeners[nextListener] = listener
        return nextListener
    }

    /// - Returns: The listener, to be released after the lock.
    mutating func stopListening(
        _ number: Int
    ) -> AsyncStream<StorePurchaseIntent>.Continuation? { intentListeners.removeValue(forKey: number) }

    /// Traps when the app handles promoted purchases both ways (M60).
    func checkHandlers() {
        guard observers.handlesStorePayments, !intentListeners.isEmpty else { return }
        fatalError(
            "promoted purchases are handled by an observer's paymentQueue(_:shouldAddStorePayment:for:) or by "
                + "PurchaseIntent.intents, never by both: leave one of them out")
    }

    /// Takes the continuations that wait for callbacks to catch up.
    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
        defer { waiting = [] }
        return waiting
    }

    /// Returns the app's object of a transaction.
    /// - Parameter make: Makes the object of a download that has none.
    mutating func object(
        of queued: QueuedTransaction, _ make: (Download, QueuedTransaction) -> SKDownload
    ) -> SKPaymentTransaction {
        let downloads = queued.model.downloads.map { model in
            if let known = self.downloads[model.id] {
                known.update(model, of: queued)
                return known
            }
            let made = make(model, queued)
            self.downloads[model.id] = made
            return made
        }
        return SKPaymentTransaction(queued, downloads: downloads)
    }
}
