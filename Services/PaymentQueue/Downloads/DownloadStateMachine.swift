import StoreModels

/// The life of one download on one device, without I/O: an app's action goes in, the new state or a refusal comes out
/// (M47, M48).
///
/// ```
/// waiting ──start─▶ active ◀─pause, resume─▶ paused
///    │                │ └──finish─▶ finished    │
///    └────────────────┴──── cancel, fail ───────┘─▶ cancelled, failed
///                                   failed ──start─▶ active
/// ```
/// What is still pending when its transaction leaves the queue is cancelled by that (M55).
struct DownloadStateMachine: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        case changed
        /// The action had reached its state already; there is nothing to write and nothing to send.
        case unchanged
        /// There is no such edge.
        case refused(from: Download.State)
    }

    private(set) var state: Download.State
    /// Non-nil in failed and in no other state.
    private(set) var error: TransactionError?

    /// A download as it was stored; one that the device has never touched waits.
    init(_ state: Download.State = .waiting, error: TransactionError? = nil) {
        self.state = state
        self.error = error
    }

    /// - Parameters:
    ///   - code: The reason, with `fail`.
    ///   - simulated: The error the tester is set to meet; a start ends with it.
    mutating func handle(
        _ action: DownloadAction, code: SKErrorCode? = nil, simulated: TransactionError? = nil
    ) -> Outcome {
        let target = Self.target(of: action)
        guard state != target else { return .unchanged }
        guard Self.sources(of: action).contains(state) else { return .refused(from: state) }
        switch action {
        case .start: enter(simulated == nil ? .active : .failed, simulated)
        case .fail: enter(.failed, TransactionError(code ?? .unknown, "The download failed on the device."))
        case .pause, .resume, .cancel, .finish: enter(target)
        }
        return .changed
    }

    private mutating func enter(_ next: Download.State, _ reason: TransactionError? = nil) {
        state = next
        error = reason
    }

    /// Where an action leads.
    static func target(of action: DownloadAction) -> Download.State {
        switch action {
        case .start, .resume: .active
        case .pause: .paused
        case .cancel: .cancelled
        case .finish: .finished
        case .fail: .failed
        }
    }

    /// The states an action leads out of.
    static func sources(of action: DownloadAction) -> Set<Download.State> {
        switch action {
        case .start: [.waiting, .failed]
        case .pause, .finish: [.active]
        case .resume: [.paused]
        case .cancel, .fail: [.waiting, .active, .paused]
        }
    }

    /// Whether a finish of the transaction has to cancel it.
    static func isPending(_ state: Download.State) -> Bool {
        switch state {
        case .waiting, .active, .paused: true
        case .finished, .failed, .cancelled: false
        }
    }
}
