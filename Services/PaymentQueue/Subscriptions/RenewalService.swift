import EventLoop
import Logging
import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

/// Processes due renewals: fixes charges, asks the processor until it replies, and writes the outcome.
///
/// The sweep, a clock that is moved, a purchase in the group and an operator all use it, one at a time per subscription
/// in this process. Between replicas the database decides.
final class RenewalService: QueuePart {
    /// Number of subscriptions in one page. One commit fixes a page's charges.
    static let pageSize = 256
    /// Maximum number of renewals in progress.
    static let concurrency = 768
    /// Timeout of one request to the processor.
    static let chargeTime: Duration = .seconds(3)
    /// Maximum time for one app, so that others are processed too.
    static let turn: Duration = .seconds(5)
    /// Timeout of one request to Catalog.
    static let quoteTime: Duration = .seconds(2)

    let context: QueueContext
    /// The purchases this process works on. Some wait for a renewal.
    let purchases: InFlightRegistry
    /// The subscriptions this process works on, and the tasks that wait for them.
    let inFlight = InFlightRegistry()
    /// The apps that are being swept in this process, and the tasks that wait for the end of it.
    private let sweeping = InFlightRegistry()
    private let schedule = Locked(RetrySchedule())
    private let charges: ChargeCollector

    init(context: QueueContext, purchases: InFlightRegistry) {
        self.context = context
        charges = ChargeCollector(on: context.executor, context.collaborators, capturesAtOnce: true)
        self.purchases = purchases
    }

    // MARK: Sweep

    /// Processes the due events of all apps.
    ///
    /// The time for one app is limited, so that a fast clock does not starve the others.
    /// - Returns: The number of changes made.
    @discardableResult
    func sweep() async throws -> Int {
        var total = 0
        let due = try await database.read { reader in
            try await ClockRepository.due(wall: self.clock.wall(), in: reader)
        }
        for app in due.apps {
            let last = ContinuousClock.now + Self.turn
            while !Task.isCancelled, ContinuousClock.now < last {
                let done = try await sweep(app, until: last)
                total += done
                if done == 0 { break }
            }
        }
        return total
    }

    /// Processes once the due events of an app, oldest first.
    ///
    /// Subscriptions are processed concurrently, each in its own order.
    /// - Returns: The number of changes made. 0 also when another task sweeps the app.
    func sweep(_ bundleId: String, until last: ContinuousClock.Instant) async throws -> Int {
        guard sweeping.begin(bundleId) else { return 0 }
        defer {
            sweeping.end(bundleId)
            sweeping.announce(bundleId)
        }
        return try await sweepPages(of: bundleId, until: last)
    }

    /// Processes the due events of an app, and waits for that until an instant.
    ///
    /// A charge may take longer than the caller can wait. What is in progress then goes on.
    /// - Returns: The number of changes made, or nil when it goes on, or another task has swept the app.
    func sweep(_ bundleId: String, waitingUntil last: ContinuousClock.Instant) async throws -> Int? {
        let outcome = Locked<Result<Int, any Error>?>(nil)
        let end = sweeping.listen(bundleId)
        if sweeping.begin(bundleId) {
            Task(executorPreference: context.executor) {
                let swept: Result<Int, any Error>
                do {
                    swept = .success(try await self.sweepPages(of: bundleId, until: last))
                } catch {
                    swept = .failure(error)
                }
                outcome.withLock { $0 = swept }
                self.sweeping.end(bundleId)
                self.sweeping.announce(bundleId)
            }
        }
        await end.wait(until: last)
        try Task.checkCancellation()
        return try outcome.withLock(\.self)?.get()
    }

    /// Waits until another task of this process has swept one of several apps, or until an instant.
    /// - Returns: False at once when no task sweeps any of them.
    func waitForSweep(of apps: [String], until last: ContinuousClock.Instant) async -> Bool {
        for app in apps {
            let end = sweeping.listen(app)
            guard sweeping.contains(app) else { continue }
            await end.wait(until: last)
            return true
        }
        return false
    }

    private func sweepPages(of bundleId: String, until last: ContinuousClock.Instant) async throws -> Int {
        try await withThrowingTaskGroup(of: RenewalOutcome.self) { group in
            var (running, done) = (0, 0)
            var cursor = DueRepository.Cursor.start
            var page = try await strays(of: bundleId, limit: Self.pageSize)
            var isFirst = true
            while !Task.isCancelled, ContinuousClock.now < last {
                for job in try await jobs(for: page) {
                    group.addTask { await self.attempt(job) }
                    running += 1
                }
                if !isFirst, page.count < Self.pageSize { break }
                // The next page's charges are fixed while these are made and written.
                while running > Self.concurrency - Self.pageSize {
                    if try await group.next() == .done { done += 1 }
                    running -= 1
                }
                if !isFirst, let end = page.last, let at = end.value.dueAt {
                    cursor = DueRepository.Cursor(at: at, originalID: end.value.originalID)
                }
                isFirst = false
                page = try await due(of: bundleId, after: cursor, limit: Self.pageSize)
            }
            for try await outcome in group where outcome == .done { done += 1 }
            return done
        }
    }

    /// Plans a page's jobs and fixes their charges. Subscriptions without a decision stay for the next sweep.
    private func jobs(for page: [DueSubscription]) async throws -> [RenewalJob] {
        let now = ContinuousClock.now
        let free = page.filter { due in
            !inFlight.contains(due.value.originalID)
                && schedule.withLock { $0.isDue(due.value.originalID, now: now) }
        }
        guard !free.isEmpty else { return [] }
        let planned = try await plan(free)
        let charges = planned.filter(\.isCharge)
        guard !charges.isEmpty else { return planned }
        let fixed = try await fix(charges)
        try checkpoint(.afterPageCommit)
        return fixed + planned.filter { !$0.isCharge }
    }

    private func plan(_ page: [DueSubscription]) async throws -> [RenewalJob] {
        var quoted: [QuoteRequest: Quote?] = [:]
        var jobs: [RenewalJob] = []
        for due in page {
            guard let at = due.value.dueAt else { continue }
            if let attempt = due.value.attempt {
                let known = try StoredJSON.value(RenewalAttempt.self, attempt)
                jobs.append(RenewalJob(value: due.value, work: .charge(known), at: known.at))
            } else if let change = RenewalPolicy.withoutQuote(due.value, due.tester, at: at) {
                jobs.append(RenewalJob(value: due.value, work: .change(change), at: at))
            } else {
                if quoted[due.quoteRequest] == nil { quoted[due.quoteRequest] = await quote(due.quoteRequest) }
                guard case .some(let quote?) = quoted[due.quoteRequest] else { continue }
                jobs.append(.init(due, RenewalPolicy.step(due.value, due.context(quote), at: at), at: at))
            }
        }
        return jobs
    }

    /// Requests a quote.
    /// - Returns: The quote, or nil while Catalog is away. Then nothing is changed, and the renewal is tried again.
    private func quote(_ request: QuoteRequest) async -> Quote? {
        do {
            return try await quotes.quote(request, until: .now + Self.quoteTime)
        } catch {
            logger.notice("no quote for a renewal", metadata: ["error": "\(error.message)"])
            return nil
        }
    }

    // MARK: Jobs

    /// Performs one job and records when it may be tried again.
    private func attempt(_ job: RenewalJob) async -> RenewalOutcome {
        let id = job.value.originalID
        guard inFlight.begin(id) else { return .unknown }
        var outcome = RenewalOutcome.unknown
        do {
            outcome = try await perform(job) == nil ? .unknown : .done
        } catch {
            logger.warning("renewal not resolved", metadata: ["subscription": "\(id)", "error": "\(error)"])
        }
        schedule.withLock { outcome == .done ? $0.settled(id) : $0.failed(id, now: .now) }
        inFlight.end(id)
        inFlight.announce(id)
        return outcome
    }

    /// Performs one job.
    /// - Returns: The written change. An inner nil means that another writer was first, an outer nil that the outcome
    ///   is unknown.
    private func perform(_ job: RenewalJob) async throws -> Settled?? {
        guard let reply = try await reply(to: job) else { return nil }
        guard let settled = try await settle(job, reply) else { return .some(nil) }
        if PlantedBug.isActive(.renewalWithoutUniqueRow) { _ = try await settle(job.ofAnotherReplica, reply) }
        try checkpoint(.afterRenewalCommit)
        publish(settled, job, reply)
        return settled
    }

    /// Publishes changes, wakes waiting tasks of this process, and logs the outcome.
    func publish(_ settled: Settled, _ job: RenewalJob, _ reply: ChargeReply) {
        if let outcome = SalesRecord.Renewal(job.work, reply) {
            record.note(outcome, of: settled.value, paid: settled.transaction)
        }
        for change in settled.changes { collaborators.publish(change) }
        for id in settled.woken { purchases.announce(id) }
    }

    /// Asks the processor. A free period is approved without a request.
    /// - Returns: Nil while the outcome is unknown.
    private func reply(to job: RenewalJob) async throws -> ChargeReply? {
        guard case .charge(let attempt) = job.work else { return .approved }
        let request = CreateChargeRequest(
            chargeKey: attempt.chargeKey, amount: attempt.terms.amount, bundleId: job.value.customer.bundleId,
            customerIdentifier: job.value.customer.customerIdentifier, productIdentifier: attempt.product,
            simulate: attempt.terms.simulate)
        try checkpoint(.beforeRenewalCharge)
        let reply: ChargeReply
        do {
            reply = try await self.reply(to: request)
        } catch {
            logger.notice("renewal unanswered", metadata: ["charge": "\(attempt.chargeKey)", "error": "\(error)"])
            return nil
        }
        try checkpoint(.afterRenewalCharge)
        if case .mismatch(let charged) = reply {
            logger.critical(
                "the processor charged another amount for a renewal; it is quarantined",
                metadata: [
                    "subscription": "\(job.value.originalIdentifier)", "charge": "\(attempt.chargeKey)",
                    "agreed": "\(attempt.terms.amount.amount)", "charged": "\(charged?.amount ?? "?")",
                ])
        }
        return reply == .undecided ? nil : reply
    }

    /// Asks about a charge with the next batch, or alone if the batch has not decided about it.
    private func reply(to request: CreateChargeRequest) async throws -> ChargeReply {
        let last = ContinuousClock.now + Self.chargeTime
        if request.simulate == nil, let charge = try await charges.run(request, until: last) {
            let reply = ChargeReply(charge, expected: request.amount)
            if reply != .undecided { return reply }
        }
        return try await collaborators.reply(to: request, until: last)
    }

    // MARK: Renewals on request

    /// Brings a customer's subscription of a group up to the app's clock.
    ///
    /// A purchase in the group, or a change of it, calls this before its first commit.
    /// - Returns: True when the subscription has caught up with the clock, or false when the time was over first.
    @discardableResult
    func catchUp(
        _ customer: CustomerReference, group: String, until last: ContinuousClock.Instant
    ) async throws -> Bool {
        let known = try await database.read { reader in
            try await SubscriptionRepository.find(group: group, of: customer, in: reader)
        }
        guard let known else { return true }
        return try await catchUp(known.originalID, until: last)
    }

    /// Brings a subscription, named by its first transaction's `id`, up to the app's clock.
    func catchUp(_ originalID: String, until last: ContinuousClock.Instant) async throws -> Bool {
        var attempts = 0
        while true {
            guard let (due, now) = try await find(originalID), due.value.isBusy(at: now),
                !due.value.isQuarantined
            else { return true }
            guard ContinuousClock.now < last else { return false }
            let news = inFlight.listen(originalID)
            if !inFlight.contains(originalID), let job = try await jobs(forced: due) {
                if await attempt(job) == .done { continue }
            }
            attempts += 1
            await news.wait(until: min(last, .now + RetrySchedule.delay(afterAttempts: attempts)))
        }
    }

    private func jobs(forced due: DueSubscription) async throws -> RenewalJob? {
        schedule.withLock { $0.settled(due.value.originalID) }
        return try await jobs(for: [due]).first
    }

    /// Fixes an operator's charge and completes it, if the time allows.
    /// - Returns: The written change.
    /// - Throws: `serviceUnavailable` when another task or replica works on the subscription, and nothing was begun.
    ///   `outcomeUnknown` when the charge was begun and its outcome is not known, because repeating it might renew
    ///   another period.
    func run(_ job: RenewalJob) async throws -> Settled {
        let busy = StoreError(.serviceUnavailable, "the subscription is being changed; retry", retryAfterMs: 200)
        guard inFlight.begin(job.value.originalID) else { throw busy }
        defer {
            inFlight.end(job.value.originalID)
            inFlight.announce(job.value.originalID)
        }
        guard job.isCharge else {
            guard let settled = try await perform(job) ?? nil else { throw busy }
            return settled
        }
        guard let fixed = try await fix([job]).first else { throw busy }
        try checkpoint(.afterPageCommit)
        guard let settled = try await perform(fixed) ?? nil else {
            throw StoreError(
                .outcomeUnknown,
                "the payment processor has not answered; the renewal goes on by itself, look at it later",
                retryAfterMs: 500)
        }
        return settled
    }

    /// Tries a renewal immediately, because its charge has changed.
    func retry(chargeKey key: String) async {
        guard let id = RenewalAttempt.originalID(ofChargeKey: key) else { return }
        _ = try? await catchUp(id, until: .now + Self.chargeTime)
    }

}

extension SalesRecord.Renewal {
    /// Returns the logged outcome of a job.
    /// - Returns: Nil for a change without a renewal, such as the end of a grace period.
    fileprivate init?(_ work: RenewalJob.Work, _ reply: ChargeReply) {
        switch (work, reply) {
        case (.change, _), (.charge, .undecided): return nil
        case (.free, _), (.charge, .approved): self = .renewed
        case (.charge, .failed): self = .declined
        case (.charge, .mismatch): self = .quarantined
        }
    }
}

extension RenewalJob {
    fileprivate var isCharge: Bool { if case .charge = work { true } else { false } }

    fileprivate init(_ due: DueSubscription, _ step: RenewalPolicy.Step, at: Timestamp) {
        switch step {
        case .change(let change): self.init(value: due.value, work: .change(change), at: at)
        case .renew(let attempt):
            self.init(value: due.value, work: attempt.terms.isFree ? .free(attempt) : .charge(attempt), at: at)
        }
    }
}
