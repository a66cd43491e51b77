import ServiceDatabase

/// Tells the processor of refunds until it has answered, also those a process that died has left. Every replica may tell it
/// of the same one: a refund's key stands for one refund.
final class RefundJanitor: Sendable {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// Refunds at the processor at once.
    static let concurrency = 8
    /// For one attempt.
    static let attemptTime: Duration = .seconds(3)

    private let store: RefundStore
    private let desk: RefundDesk
    private let retries = RetrySweep(concurrency: concurrency)

    init(store: RefundStore, desk: RefundDesk) {
        self.store = store
        self.desk = desk
    }

    /// Tries every refund that is due once.
    /// - Returns: how many the processor has still to answer.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        try await retries.run(now: now, id: \.key) { [store] after, limit in
            try await store.open(after: after, limit: limit)
        } attempt: { [desk] refund in
            await desk.send(refund, until: .now + Self.attemptTime)
        }
    }
}
