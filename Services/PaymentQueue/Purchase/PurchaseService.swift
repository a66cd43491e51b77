import BusService
import Logging
import Persistence
import ServiceDatabase
import StoreModels
import Synchronization

/// Handles `queue.add`: one key, one transaction, at most one charge, through a crash of any process.
///
/// Most purchases are authorized, written in one commit and captured after it, in batches (ADR 0047,
/// ``NewPurchases``). Others are in progress after it: the processor is asked, and the outcome commit ends them
/// (ADR 0004). The request that began one, a request that joins it and the sweep all call ``drive(_:fresh:until:)``,
/// one at a time in this process. Each commit is one function, and the process may die between them.
struct PurchaseService: QueuePart {
    /// Time kept back from the deadline for sending the reply.
    static let replyMargin: Duration = .milliseconds(200)
    /// Timeout of one request to the processor.
    ///
    /// It is longer than a slow reply takes, and short enough that the next attempt ends within five seconds.
    static let chargeTime: Duration = .seconds(3)
    /// Monotonic time between two sweeps.
    static let sweepInterval: Duration = .milliseconds(500)
    /// Maximum number of purchases a sweep works on concurrently.
    static let sweepConcurrency = 16
    /// Timeout of one attempt of a sweep.
    static let sweepTime: Duration = .seconds(5)

    let context: QueueContext
    /// Processes the events that are due in a purchase's subscription group before the purchase.
    let renewals: RenewalService
    let newPurchases: NewPurchases
    /// The purchases this process works on.
    let inFlight: InFlightRegistry
    /// The last facts read about customers, for quotes and authorizations before a database read. They are only hints,
    /// because the commit compares them with the customer's rows.
    let customerHints = ExpiringCache<CustomerReference, CustomerHint>(max: 10_000)
    let recentKeys = RecentKeys()
    let limiter = PaymentLimiter()
    let retries = RetrySweep(concurrency: sweepConcurrency)

    /// The facts that a purchase of a customer is likely to find.
    struct CustomerHint: Sendable {
        var storefront: String
        /// Whether the last purchase was sold without a prompt or simulated fault.
        var buysPlainly = false
        /// The groups of the last subscriptions bought, at most ``groupMax``.
        private var groups: [String] = []

        private static let groupMax = 8

        init(storefront: String) { self.storefront = storefront }

        /// Tells whether the customer is known to have subscribed in the group of a quote's product.
        func hasSubscribed(toGroupOf quote: Quote) -> Bool {
            groups.contains { $0.isExactly(quote.product?.subscriptionGroupIdentifier) }
        }

        /// Returns the facts in another storefront.
        func moved(to storefront: String) -> CustomerHint {
            var hint = self
            hint.storefront = storefront
            return hint
        }

        /// Returns the facts after a purchase.
        func after(_ stored: StoredTransaction, isPlain: Bool) -> CustomerHint {
            var hint = self
            hint.buysPlainly = isPlain
            guard stored.transaction.transactionState != .failed, let group = stored.terms?.subscription?.group,
                !groups.contains(where: { $0.isExactly(group) })
            else { return hint }
            hint.groups = groups.suffix(Self.groupMax - 1) + [group]
            return hint
        }
    }

    typealias Written = CustomerCommits.Committed<StoredTransaction>

    /// Reads a transaction in the state that replies to its payment show.
    ///
    /// Once it has ended, this is the state of the terminal commit, without later deliveries, so that all replies to
    /// one key are the same.
    /// - Parameter id: A transaction that this service drives, never one that a client names.
    func find(driven id: String) async throws -> StoredTransaction? {
        try await database.read { reader in try await reader.read(PaymentRepository.find(driven: id)) }
    }

    /// Publishes a commit about a purchase that may be gone.
    func finish(_ written: Written?) throws -> StoredTransaction? {
        guard let written else { return nil }
        return try finish(written)
    }

    /// Publishes a commit: events first, then the waiting requests of this process.
    @discardableResult
    func finish(_ written: Written) throws -> StoredTransaction {
        if written.changes.isEmpty, written.woken.isEmpty { return written.output }
        try checkpoint(.afterOutcomeCommit)
        for change in written.changes { collaborators.publish(change) }
        try checkpoint(.afterPublish)
        if !written.changes.isEmpty { record.note(written.output) }
        let value = written.output.transaction
        if value.transactionState != .purchasing { inFlight.announce(value.id) }
        for id in written.woken { inFlight.announce(id) }
        return written.output
    }
}

extension StoredTransaction {
    /// Returns it with the transaction that its stored reply has, if there is one.
    func replaced(by reply: AddPaymentReply?) -> StoredTransaction {
        guard let reply else { return self }
        return with(self) { $0.transaction = reply.transaction }
    }
}

extension StoreError {
    /// Refuses a promoted purchase whose transaction was deleted. It is over and does not buy again.
    static var promotedPurchaseCleared: StoreError {
        StoreError(
            .intentDecided,
            "this promoted purchase was cleared with the customer's purchases; nothing is charged for it again"
        )
    }
}

extension PurchaseService {
    /// Tries every purchase that is due once, and again while some have ended: others may have waited for them.
    ///
    /// It drives purchases left in progress by a process that died, by a request that ran out of time and by a
    /// processor that was away. Each sweep reads the table.
    /// - Returns: The number of purchases that are still unknown.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        while true {
            let ended = Atomic(0)
            let undone = try await retries.run(now: now, id: \.self) { after, limit in
                try await unsettled(after: after, limit: limit)
            } isTaken: { id in
                inFlight.contains(id)
            } attempt: { id in
                guard await ends(id) else { return false }
                ended.add(1, ordering: .relaxed)
                return true
            }
            if ended.load(ordering: .relaxed) == 0 || Task.isCancelled { return undone }
        }
    }

    /// Sweeps while any purchase is unsettled, this replica's or another's.
    func round() async throws -> BackgroundJob.Rest {
        let isAnyUnsettled = try await database.read { reader in
            try await !TransactionRepository.unsettled(after: "", limit: 1, in: reader).isEmpty
        }
        guard isAnyUnsettled else { return .untilCommit() }
        try await sweep()
        return .interval
    }

    /// Tries one purchase immediately, because its charge has changed.
    ///
    /// While another task works on it, whose reply may be older, the next sweep tries it again.
    func retry(_ id: String) async {
        guard inFlight.contains(id) else {
            _ = await retries.attempt(id) { await ends(id) }
            return
        }
        retries.hurry(id)
    }

    /// Drives a purchase.
    /// - Returns: Whether the purchase is done: it has ended, or the end of another resumes it.
    private func ends(_ id: String) async -> Bool {
        do {
            switch try await drive(id, until: .now + Self.sweepTime) {
            case .now(let stored): return stored.isAtRest || stored.obstacle != nil
            case .busy: return false
            case .gone: return true
            }
        } catch {
            logger.warning("purchase not resolved", metadata: ["transaction": "\(id)", "error": "\(error)"])
            return false
        }
    }

    /// Finds the purchases after `after` that this replica has to take to their end.
    private func unsettled(after: String, limit: Int) async throws -> [String] {
        // A SQLite file has one process, which drives all of them.
        guard database.dialect == .sqlite else {
            return try await database.write { transaction in
                try await TransactionRepository.claimUnsettled(claims, after: after, limit: limit, in: transaction)
            }
        }
        return try await database.read { reader in
            try await TransactionRepository.unsettled(after: after, limit: limit, in: reader)
        }
    }
}
