internal import StoreModels

/// The state of a queue, kept behind its lock.
struct QueueState: Sendable {
    weak var queue: SKPaymentQueue?
    /// The core that has taken over the observers and iterators, in a test. Later ones go there, too.
    var successor: QueueCore?
    var table: UnfinishedTransactions
    var observers = QueueObservers()
    /// The app's objects of the queue's downloads, by identifier.
    var downloads: [String: SKDownload] = [:]
    var intents = PendingIntents()
    /// The iterators of StoreKit 2's sequences that do not end.
    var listeners = DeliveryListeners()
    var deliveries = TransactionDeliveries()
    /// The products that the customer has lost, until the stream brings the transaction.
    var revoked: Set<String> = []
    /// Reads what a stream does not bring at its beginning.
    var synchronization: Task<Void, Never>?
    /// The purchases that ``Product/purchase(options:)`` waits for, by their keys.
    var purchases: [String: RunningPurchase] = [:]
    /// Whether the app was warned of a purchase without an iterator of ``Transaction/updates``.
    var hasWarnedUnheard = false
    /// Whether the run has used StoreKit 2, so that the stream has signed data.
    var usesSignedData = false
    /// Wakes those who wait, after the lock.
    var wakes: [@Sendable () -> Void] = []
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

    var isObserved: Bool { !observers.isEmpty || !listeners.isEmpty || !purchases.isEmpty }

    /// How the app handles promoted purchases.
    var handler: DeviceLaunch.PromotedPurchases {
        if observers.handlesStorePayments { return .delegate }
        return listeners.intents.isEmpty ? .none : .purchaseIntent
    }

    /// Traps when the app handles promoted purchases both ways (M60).
    func checkHandlers() {
        guard observers.handlesStorePayments, !listeners.intents.isEmpty else { return }
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

/// The registered observers of a queue, not retained. Registering an observer again is a new registration, which
/// receives no callback of the earlier one.
struct QueueObservers: Sendable {
    private struct Registration: @unchecked Sendable {
        // Unchecked: the app's observer is called on the callback queue only.
        let number: Int
        let id: ObjectIdentifier
        /// Whether the observer has `shouldAddStorePayment`.
        let handlesStorePayments: Bool
        weak var observer: (any SKPaymentTransactionObserver)?
    }

    private var registrations: [Registration] = []
    private var next = 0

    /// - Returns: The registration's number, or nil if the observer is already registered.
    mutating func add(_ observer: any SKPaymentTransactionObserver) -> Int? {
        let id = ObjectIdentifier(observer)
        // A deallocated observer may have had the same address.
        registrations.removeAll { $0.id == id && $0.observer == nil }
        guard !registrations.contains(where: { $0.id == id }) else { return nil }
        defer { next += 1 }
        registrations.append(
            Registration(
                number: next, id: id, handlesStorePayments: type(of: observer).handlesStorePayments, observer: observer)
        )
        return next
    }

    /// Removes a registration. An observer's own `deinit` may call it.
    mutating func remove(_ id: ObjectIdentifier) { registrations.removeAll { $0.id == id } }

    /// Removes the registrations of deallocated observers.
    /// - Returns: The other observers, which the caller releases only without the lock: reading a weak reference
    ///   retains the observer, and releasing the last reference runs its `deinit`, which may remove it here.
    mutating func prune() -> [any SKPaymentTransactionObserver] {
        let living = all
        registrations.removeAll { $0.observer == nil }
        return living
    }

    var isEmpty: Bool { registrations.isEmpty }
    var numbers: [Int] { registrations.map(\.number) }
    var all: [any SKPaymentTransactionObserver] { registrations.compactMap(\.observer) }

    /// Whether an observer has `shouldAddStorePayment`, as of the last ``prune()``.
    var handlesStorePayments: Bool { registrations.contains { $0.handlesStorePayments } }
    /// The first living observer that has `shouldAddStorePayment`, or nil without one.
    var storePaymentHandler: (any SKPaymentTransactionObserver)? {
        // Read each weak reference once: it may be nil the second time.
        for registration in registrations where registration.handlesStorePayments {
            if let observer = registration.observer { return observer }
        }
        return nil
    }

    /// Returns the observer of a registration, or nil if it was removed or deallocated.
    func observer(_ number: Int) -> (any SKPaymentTransactionObserver)? {
        registrations.first { $0.number == number }?.observer
    }
}

/// The purchase intents, with the app's notifications and decisions. The type is pure.
///
/// Each stream begins with every pending intent, so an undecided intent comes again after a broken connection. The
/// queue asks the app once in a run (M60, M77). It sends decisions about one intent one after the other, so the store
/// receives them in the order they were made.
struct PendingIntents: Sendable {
    /// The delivered, undecided intents, oldest first.
    private(set) var undecided: [StorePurchaseIntent] = []
    private var decided = BoundedSet<String>(count: ClientLimits.intentsMax)
    /// The intents whose payment was added to the queue.
    private var continued = BoundedSet<String>(count: ClientLimits.intentsMax)
    /// The intents with a decision on its way, each with the decisions to send afterwards.
    private var sending: [String: [IntentDecision]] = [:]

    /// The number of decisions without a response.
    var unansweredCount: Int { sending.values.reduce(0) { $0 + 1 + $1.count } }

    /// Records an intent that the store reports.
    /// - Returns: Whether the app is to be notified.
    mutating func received(_ intent: StorePurchaseIntent) -> Bool {
        let id = intent.intentIdentifier
        guard !isDecided(id), sending[id] == nil, !undecided.contains(where: { $0.intentIdentifier == id }) else {
            return false
        }
        // The store has at most 50 open intents. It defers further ones itself, without an answer of the app.
        guard undecided.count < ClientLimits.intentsMax else { return false }
        undecided.append(intent)
        return true
    }

    /// Removes an intent that no observer handled. The next stream delivers it again.
    mutating func withdraw(_ id: String) { undecided.removeAll { $0.intentIdentifier == id } }

    /// Whether the app has decided about the intent.
    func isDecided(_ id: String) -> Bool { decided.contains(id) }

    /// Records that the intent is continued.
    /// - Returns: Whether this adds a payment. True once (I3).
    mutating func addsPayment(_ id: String) -> Bool { continued.insert(id) }

    /// Whether the intent has had its payment.
    func isContinued(_ id: String) -> Bool { continued.contains(id) }

    /// Records that ``Product/purchase(options:)`` has continued the intent, or has found it decided or expired.
    mutating func purchased(_ id: String) {
        withdraw(id)
        decided.insert(id)
        continued.insert(id)
    }

    /// Records the app's decision.
    /// - Returns: The decision to send now, or nil while another one is on its way.
    mutating func decide(_ decision: IntentDecision) -> IntentDecision? {
        let id = decision.intentIdentifier
        withdraw(id)
        decided.insert(id)
        guard sending[id] == nil else {
            sending[id]?.append(decision)
            return nil
        }
        sending[id] = []
        return decision
    }

    /// Records that sending a decision has ended, with or without a response.
    /// - Returns: The decision to send next, or nil without one.
    mutating func answered(_ id: String) -> IntentDecision? {
        guard var rest = sending.removeValue(forKey: id), !rest.isEmpty else { return nil }
        let next = rest.removeFirst()
        sending[id] = rest
        return next
    }

    /// Forgets pending intents when the last observer or iterator is removed. The next launch delivers them again.
    mutating func endRun() {
        undecided = []
        decided = BoundedSet(count: ClientLimits.intentsMax)
    }
}
