/// The five states of `SKPaymentTransactionState` (M27), numbered 0 to 4 in StoreKit in this order.
public enum TransactionState: String, CaseIterable, Sendable, Codable {
    case purchasing
    case purchased
    case failed
    case restored
    case deferred

    /// Whether `finishTransaction` takes it (M53): failed, purchased and restored only.
    public var isFinishable: Bool {
        switch self {
        case .purchased, .failed, .restored: true
        case .purchasing, .deferred: false
        }
    }

    /// Whether it is the last state a transaction takes.
    public var isTerminal: Bool { isFinishable }

    /// Whether a device is notified of a transaction in this state. The transaction began on `origin`.
    public func isVisible(to deviceId: String, origin: String) -> Bool {
        switch self {
        case .purchased, .deferred: true
        case .purchasing, .failed, .restored: origin.isExactly(deviceId)
        }
    }

    /// Whether the state machine has this edge. The edges are purchasing → purchased, failed or deferred, and deferred
    /// → purchased or failed.
    public func canBecome(_ next: TransactionState) -> Bool {
        switch (self, next) {
        case (.purchasing, .purchased), (.purchasing, .failed), (.purchasing, .deferred): true
        case (.deferred, .purchased), (.deferred, .failed): true
        default: false
        }
    }
}
