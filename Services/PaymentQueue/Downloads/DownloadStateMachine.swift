import StoreModels

/// Decides the next state of a device's download, from the app's action (M47, M48).
///
/// It does no I/O.
///
/// ```
/// waiting ──start─▶ active ◀─pause, resume─▶ paused
///    │                │ └──finish─▶ finished    │
///    └────────────────┴──── cancel, fail ───────┘─▶ cancelled, failed
///                                   failed ──start─▶ active
/// ```
/// Finishing the transaction cancels a pending download (M55).
struct DownloadStateMachine: Hashable, Sendable {
    enum Outcome: Hashable, Sendable {
        case changed
        /// The action had reached its state before, so nothing is written or sent.
        case unchanged
        /// The state has no such edge.
        case refused(from: Download.State)
    }

    private(set) var state: Download.State
    /// The failure, which is non-nil in state failed only.
    private(set) var error: TransactionError?

    /// Creates a stored download. One that the device has never touched is waiting.
    init(_ state: Download.State = .waiting, error: TransactionError? = nil) {
        self.state = state
        self.error = error
    }

    /// Applies an action.
    /// - Parameters:
    ///   - code: The device's reason, with `fail` only.
    ///   - simulated: The error the tester is set to meet. A start fails with it.
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

    /// Returns the state an action leads to.
    static func target(of action: DownloadAction) -> Download.State {
        switch action {
        case .start, .resume: .active
        case .pause: .paused
        case .cancel: .cancelled
        case .finish: .finished
        case .fail: .failed
        }
    }

    /// Returns the states an action leads out of.
    static func sources(of action: DownloadAction) -> Set<Download.State> {
        switch action {
        case .start: [.waiting, .failed]
        case .pause, .finish: [.active]
        case .resume: [.paused]
        case .cancel, .fail: [.waiting, .active, .paused]
        }
    }

    /// Tells whether a finish of the transaction cancels the download.
    static func isPending(_ state: Download.State) -> Bool {
        switch state {
        case .waiting, .active, .paused: true
        case .finished, .failed, .cancelled: false
        }
    }
}
