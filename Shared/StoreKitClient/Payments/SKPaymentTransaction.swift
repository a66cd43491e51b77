internal import StoreModels

/// A transaction in the queue, as it was when the observer was notified.
///
/// It does not change after it is delivered: a new state is a new object. All objects of one transaction are equal, so
/// `==`, `contains` and dictionaries treat them as one. A transaction that the store did not make, such as a subclass
/// in an app's tests, equals only itself.
open class SKPaymentTransaction: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: its properties are set once, before the object is shared.
    private(set) var queued: QueuedTransaction?
    private var attached: [SKDownload] = []

    /// Creates an empty transaction, for subclasses in an app's tests.
    public override init() { super.init() }

    convenience init(_ queued: QueuedTransaction, downloads: [SKDownload]) {
        self.init()
        self.queued = queued
        attached = downloads
    }

    private var model: PaymentTransaction? { queued?.model }

    /// The state at the time of the callback, or `.purchasing` for an empty transaction.
    open var transactionState: SKPaymentTransactionState {
        model.map { SKPaymentTransactionState($0.transactionState) } ?? .purchasing
    }
    /// The identifier. Nil except in `.purchased` and `.restored`.
    open var transactionIdentifier: String? { model?.transactionIdentifier }
    /// The date. Nil except in `.purchased` and `.restored`.
    open var transactionDate: Date? { model?.transactionDate?.date }
    /// A copy of the payment that was added.
    open var payment: SKPayment { model.map { SKPayment(PaymentFields($0.payment)) } ?? SKPayment() }
    /// An ``SKError`` in `.failed`, or nil in every other state.
    open var error: (any Error)? { queued?.failure ?? model?.error.map { SKError($0) } }
    /// The first purchase of a restored transaction or a renewal, or nil for any other.
    open var original: SKPaymentTransaction? {
        guard let original = model?.original?.transaction else { return nil }
        return SKPaymentTransaction(
            QueuedTransaction(identity: original.id, model: original, isLocal: false), downloads: [])
    }
    /// The downloads of hosted products. Empty otherwise.
    open var downloads: [SKDownload] { attached }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let queued, let other = object as? SKPaymentTransaction else { return super.isEqual(object) }
        return other.queued?.identity == queued.identity
    }
    open override var hash: Int { queued?.identity.hashValue ?? super.hash }

    /// The identifier, state and product, for logs.
    open override var description: String {
        guard let model else { return super.description }
        return "<SKPaymentTransaction \(model.id) \(model.transactionState) \(model.payment.productIdentifier)>"
    }
}

extension SKPaymentTransactionState {
    init(_ model: TransactionState) {
        self =
            switch model {
            case .purchasing: .purchasing
            case .purchased: .purchased
            case .failed: .failed
            case .restored: .restored
            case .deferred: .deferred
            }
    }
}
