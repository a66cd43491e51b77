/// The five states of `SKPaymentTransactionState` (M27); raw values 0 to 4 in StoreKit, in this order.
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

    /// Whether a device is notified of a transaction in this state that began on `origin` (`http-api.md`, "Whose
    /// transactions").
    public func isVisible(to deviceId: String, origin: String) -> Bool {
        switch self {
        case .purchased, .deferred: true
        case .purchasing, .failed, .restored: origin.isExactly(deviceId)
        }
    }

    /// The edges of the state machine: purchasing → purchased, failed or deferred; deferred → purchased or failed.
    public func canBecome(_ next: TransactionState) -> Bool {
        switch (self, next) {
        case (.purchasing, .purchased), (.purchasing, .failed), (.purchasing, .deferred): true
        case (.deferred, .purchased), (.deferred, .failed): true
        default: false
        }
    }
}
