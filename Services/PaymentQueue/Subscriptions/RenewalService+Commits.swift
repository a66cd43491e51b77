import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// Makes the commits of renewals and their reads. Between two commits the process may die.
extension RenewalService {
    /// The result of an outcome commit.
    struct Settled: Sendable {
        var value: StoredSubscription
        /// The period's transaction, if it was paid.
        var transaction: PaymentTransaction?
        /// Changes to publish after the commit.
        var changes: [PublishedChange]
        /// Purchases that can continue.
        var woken: [String]
    }

    func due(of bundleId: String, after cursor: DueRepository.Cursor, limit: Int) async throws -> [DueSubscription] {
        try await database.read { reader in
            guard let app = try await ClockRepository.find(bundleId, in: reader) else { return [] }
            return try await DueRepository.due(
                of: bundleId, now: self.clock.now(app), after: cursor, claims: self.claims, limit: limit, in: reader)
        }
    }

    func strays(of bundleId: String, limit: Int) async throws -> [DueSubscription] {
        try await database.read { reader in
            guard let app = try await ClockRepository.find(bundleId, in: reader) else { return [] }
            return try await DueRepository.strays(
                of: bundleId, now: self.clock.now(app), claims: self.claims, limit: limit, in: reader)
        }
    }

    /// Reads a subscription and the app's clock.
    func find(_ originalID: String) async throws -> (due: DueSubscription, now: Timestamp)? {
        try await database.read { reader in
            guard let found = try await DueRepository.find(originalID, in: reader) else { return nil }
            let app = try await CustomerRepository.clock(of: found.value.customer.bundleId, in: reader)
            return (found, self.clock.now(app))
        }
    }

    /// Makes the page commit: fixes charges before any of them is made, and claims those already fixed.
    /// - Returns: The jobs this process may ask about now, in order.
    func fix(_ jobs: [RenewalJob]) async throws -> [RenewalJob] {
        try await database.write { transaction in
            let free = try await DueRepository.lock(
                unchanged: jobs.map(\.value).filter { $0.attempt == nil }, in: transaction)
            var counts: [BatchNumbers.Key: Int] = [:]
            for job in jobs where free.contains(ExactText(job.value.originalID)) {
                counts[Self.identifiers(of: job), default: 0] += 1
            }
            var numbers = BatchNumbers()
            try await numbers.add(BatchNumbers.start(counts, in: transaction))
            var (going, fixed): ([RenewalJob], [StoredSubscription]) = ([], [])
            for job in jobs {
                guard case .charge(var attempt) = job.work else { continue }
                guard job.value.attempt == nil else {
                    if try await DueRepository.claim(job.value, self.claims, in: transaction) { going.append(job) }
                    continue
                }
                guard free.contains(ExactText(job.value.originalID)) else { continue }
                attempt.identifier = "\(try numbers.take(1, of: Self.identifiers(of: job))[0])"
                var next = job
                next.work = .charge(attempt)
                (next.value.attempt, next.value.revision) = (try StoredJSON.text(attempt), job.value.revision + 1)
                going.append(next)
                fixed.append(next.value)
            }
            try await DueRepository.fix(fixed, self.claims, in: transaction)
            try self.checkpoint(.insidePageCommit)
            return going
        }
    }

    /// The counter of the job's transaction identifier.
    private static func identifiers(of job: RenewalJob) -> BatchNumbers.Key {
        BatchNumbers.Key(.transaction, of: job.value.customer.bundleId)
    }

    /// Makes the outcome commit: the new period with its transaction, or the effect of a decline.
    ///
    /// A second writer finds another revision and writes nothing (S7), as does a late reply to a process that was
    /// thought dead.
    /// - Parameter reply: The processor's outcome, never `undecided`.
    /// - Returns: The written change, or nil when another writer was first.
    func settle(_ job: RenewalJob, _ reply: ChargeReply) async throws -> Settled? {
        let committed = try await commits.commit(
            job.value.customer, asking: job.lookups(reply), identifierCount: job.takesIdentifier(reply) ? 1 : 0,
            reaching: .insideRenewalCommit
        ) { state in
            guard let known = try state.subscription(originalID: job.value.originalID),
                known.revision == job.value.revision || PlantedBug.isActive(.renewalWithoutUniqueRow)
            else { return nil as (StoredSubscription, PaymentTransaction?)? }
            let result = try Self.perform(job, reply, on: known, &state)
            if !result.0.isBusy(at: state.now) {
                state.woken += try state.read(SubscriptionRepository.waitingPurchases(of: state.customer))
            }
            return result
        }
        guard let (value, paid) = committed.output else { return nil }
        return Settled(value: value, transaction: paid, changes: committed.changes, woken: committed.woken)
    }

    private static func perform(
        _ job: RenewalJob, _ reply: ChargeReply, on known: StoredSubscription, _ state: inout CustomerState
    ) throws -> (StoredSubscription, PaymentTransaction?) {
        switch (job.work, reply) {
        case (.change(let change), _): return (try state.apply(change, to: known, at: job.at), nil)
        case (.free(let attempt), _), (.charge(let attempt), .approved):
            let (value, paid) = try state.renew(known, attempt)
            return (value, paid)
        case (.charge(let attempt), .failed(let error)):
            let decline = SubscriptionDecline(
                amount: attempt.terms.amount, reason: error.localizedDescription, hasGrace: attempt.hasGrace)
            return (try state.apply(.declined(decline), to: known, at: attempt.at), nil)
        case (.charge(let attempt), .mismatch(let charged)):
            let mismatch = SubscriptionMismatch(agreed: attempt.terms.amount, charged: charged)
            return (try state.apply(.quarantined(mismatch), to: known, at: attempt.at), nil)
        case (.charge, .undecided):
            throw StoreError(.internal, "a renewal without an answer")
        }
    }
}

extension RenewalJob {
    /// Lists the outcome commit's rows: the subscription, who waits, and a transaction.
    ///
    /// A paid period is made of the subscription's first transaction. Everything else is about its latest one.
    fileprivate func lookups(_ reply: ChargeReply) -> [SQLLookupKey] {
        let transaction = paid(reply) == nil ? value.period.transactionID : value.originalID
        return [
            SubscriptionRepository.allLocked(of: value.customer).key,
            TransactionRepository.find(transaction, of: value.customer).key,
            SubscriptionRepository.waitingPurchases(of: value.customer).key,
        ]
    }

    /// Tells whether the outcome is a period whose transaction has no identifier yet.
    fileprivate func takesIdentifier(_ reply: ChargeReply) -> Bool {
        paid(reply).map { $0.identifier == nil } ?? false
    }

    /// Returns the attempt that the outcome makes a period of. Nil for any other outcome.
    private func paid(_ reply: ChargeReply) -> RenewalAttempt? {
        switch work {
        case .charge(let attempt) where reply == .approved: attempt
        case .free(let attempt): attempt
        case .charge, .change: nil
        }
    }
}

extension RenewalService {
    /// Ends renewals that are being charged, before a history is cleared.
    ///
    /// The processor cancels their charges, and a renewal it has already charged ends as renewed. So every charge has
    /// its row.
    /// - Returns: The number of renewals that were being charged.
    /// - Throws: `serviceUnavailable` when the processor does not reply, or has not decided.
    func giveUp(
        _ scope: HistoryScope, until last: ContinuousClock.Instant,
        cancel: @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    ) async throws -> Int {
        var count = 0
        while true {
            let page = try await database.read { reader in
                try await DueRepository.attempts(scope, limit: Self.pageSize, in: reader)
            }
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
