import ServiceDatabase
import StoreModels

extension RenewalService {
    /// Ends renewals that are being charged, before a history is cleared.
    ///
    /// The processor cancels their charges, and a renewal it has already charged ends as renewed. So nothing is charged
    /// without a row.
    /// - Returns: The number of renewals that were being charged.
    /// - Throws: `serviceUnavailable` when the processor does not reply, or has not decided.
    func giveUp(
        _ scope: HistoryScope, until last: ContinuousClock.Instant,
        cancel: @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    ) async throws -> Int {
        var count = 0
        while true {
            let page = try await attempts(scope, limit: Self.pageSize)
            for due in page { try await giveUp(due, until: last, cancel) }
            count += page.count
            guard page.count == Self.pageSize else { return count }
        }
    }

    private func giveUp(
        _ due: DueSubscription, until last: ContinuousClock.Instant,
        _ cancel: @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    ) async throws {
        guard let text = due.value.attempt else { return }
        let attempt = try StoredJSON.value(RenewalAttempt.self, text)
        let charge: Charge
        do {
            charge = try await cancel(CancelChargeRequest(chargeKey: attempt.chargeKey), last)
        } catch {
            throw StoreError(
                .serviceUnavailable, "the payment processor is away, which has to give up renewals in flight first",
                retryAfterMs: error.retryAfterMs)
        }
        try checkpoint(.afterCancel)
        let reply = ChargeReply(charge, expected: attempt.terms.amount)
        guard reply != .undecided else {
            throw StoreError(
                .serviceUnavailable, "the payment processor has not decided about a renewal in flight",
                retryAfterMs: 1_000)
        }
        try await settle(due, attempt, reply)
    }

    private func settle(_ due: DueSubscription, _ attempt: RenewalAttempt, _ reply: ChargeReply) async throws {
        let job = RenewalJob(value: due.value, work: .charge(attempt), at: attempt.at)
        guard let settled = try await settle(job, reply) else { return }
        publish(settled, job, reply)
    }
}
