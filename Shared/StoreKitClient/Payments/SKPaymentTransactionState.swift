internal import StoreModels

/// The five states of a transaction, with StoreKit's raw values.
public enum SKPaymentTransactionState: Int, CaseIterable, Sendable {
    /// The store is at it. Nothing to do, and not to be finished.
    case purchasing = 0
    /// Paid for: deliver, then finish.
    case purchased = 1
    /// `error` says why: tell the customer unless they cancelled, then finish.
    case failed = 2
    /// Paid for before, `original` says when: deliver, then finish.
    case restored = 3
    /// Somebody has to approve it first. Go on meanwhile; not to be finished.
    case deferred = 4

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

    /// Whether `finishTransaction(_:)` takes it.
    var isFinishable: Bool {
        switch self {
        case .purchased, .failed, .restored: true
        case .purchasing, .deferred: false
        }
    }
}
