import StoreModels

/// `clock.get`, `.put`, `.advance` and `.progress`: an app's business time, and moving it.
///
/// A move is one commit, in which the clock jumps; then what has fallen due happens, each thing as of its own instant.
/// The wall clock and all timers of the machine are untouched.
struct ClockDesk: Sendable {
    /// Between two looks at what others of this process or other replicas work on.
    static let pause: Duration = .milliseconds(50)

    let store: ClockStore
    let renewer: SubscriptionRenewer

    func get(_ request: AppRequest) async throws -> AppClockState {
        try ClockValidation.check(request.bundleId)
        return try await store.get(request.bundleId)
    }

    /// The clock may be set back: what was billed is not billed again, because a period is paid once (S5).
    /// - Throws: `requestInvalid`.
    func put(_ request: PutClockRequest) async throws -> AppClockState {
        try ClockValidation.check(request.bundleId)
        let state = try await store.put(request)
        renewer.wake()
        return state
    }

    /// One key, one move. Answers when all that is due has happened, or shortly before the deadline.
    /// - Throws: `requestInvalid`, `idempotencyKeyInvalid`, `keyReused`.
    func advance(
        _ request: AdvanceClockRequest, deadline: ContinuousClock.Instant
    ) async throws -> ClockAdvance {
        try ClockValidation.check(request.bundleId)
        try ClockValidation.checkKey(request.requestKey)
        let advance = try await store.begin(request)
        renewer.wake()
        try await work(on: advance, until: deadline - PurchaseCoordinator.replyMargin)
        return try await store.progress(advance.id, of: advance.bundleId)
    }

    /// - Throws: `notFound`.
    func progress(_ request: AdvanceRequest) async throws -> ClockAdvance {
        try await store.progress(request.advanceIdentifier, of: request.bundleId)
    }

    /// Goes on with moves that a process has left half done, as far as they get without waiting for anybody.
    /// - Returns: how many have reached their end.
    func sweep(until last: ContinuousClock.Instant) async throws -> Int {
        var finished = 0
        for id in try await store.open() {
            guard let advance = try await store.find(id) else { continue }
            if try await work(on: advance, until: last, waits: false) { finished += 1 }
        }
        return finished
    }

    /// - Parameter waits: for what others of this process or other replicas are at, or nobody answers about.
    /// - Returns: whether the move has reached its end.
    @discardableResult
    private func work(
        on advance: StoredAdvance, until last: ContinuousClock.Instant, waits: Bool = true
    ) async throws -> Bool {
        while true {
            switch try await store.step(advance.id) {
            case .finished: return true
            case .jumped: renewer.wake()
            case .working:
                guard ContinuousClock.now < last else { return false }
                if try await renewer.sweep(advance.bundleId, until: last) > 0 { continue }
                guard waits else { return false }
                try await Task.sleep(until: min(last, .now + Self.pause), clock: .continuous)
            }
        }
    }
}
