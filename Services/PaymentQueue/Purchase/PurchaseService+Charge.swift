import Logging
import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

extension PurchaseService {
    /// The result of one attempt.
    enum Attempt: Sendable {
        /// The transaction as it is now.
        case now(StoredTransaction)
        /// Another task of this process works on it.
        case busy
        /// The purchase is gone, because an operator has cleared it away.
        case gone
    }

    /// Makes one attempt. Afterwards the purchase is at rest, or it is as unknown as before and may be tried again.
    /// - Parameter fresh: The transaction as this caller's last commit has left it. It saves a read.
    func drive(
        _ id: String, fresh: StoredTransaction? = nil, until deadline: ContinuousClock.Instant
    ) async throws -> Attempt {
        guard inFlight.begin(id) else { return .busy }
        defer { inFlight.end(id) }
        var known = fresh
        if known == nil { known = try await find(driven: id) }
        if let waiting = known, waiting.phase == .waiting {
            try await catchUp(before: waiting, until: deadline)
            known = try finish(await replan(waiting))
        }
        guard let stored = known else { return .gone }
        guard !stored.awaitsAnswer else { return .now(stored) }
        switch stored.phase {
        case .waiting, .quarantined, .settled: return .now(stored)
        case .granting: return attempt(try await settle(stored, .approved, until: deadline))
        case .charging: return attempt(try await charge(stored, until: deadline))
        }
    }

    private func attempt(_ stored: StoredTransaction?) -> Attempt { stored.map { .now($0) } ?? .gone }

    private func charge(
        _ stored: StoredTransaction, until deadline: ContinuousClock.Instant
    ) async throws -> StoredTransaction? {
        guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
        let request = CreateChargeRequest(
            chargeKey: stored.chargeKey, amount: terms.amount, bundleId: stored.customer.bundleId,
            customerIdentifier: stored.customer.customerIdentifier,
            productIdentifier: stored.transaction.payment.productIdentifier, simulate: terms.simulate)
        try checkpoint(.beforeCharge)
        let reply: ChargeReply
        do {
            let request = PlantedBug.isActive(.chargeUnderNewKey) ? request.underNewKey : request
            reply = ChargeReply(
                try await collaborators.charge(request, min(deadline, .now + Self.chargeTime)), expected: terms.amount)
        } catch  where error.code == .requestInvalid && error.details["conflict"] == .string("amount") {
            // The processor has another amount under this key; a retry gets the same reply.
            reply = .mismatch(charged: nil)
        } catch {
            logger.notice(
                "charge unanswered", metadata: metadata(stored, ["code": "\(error.code)", "error": "\(error.message)"]))
            return stored
        }
        try checkpoint(.afterCharge)
        if reply == .undecided { return stored }
        if case .mismatch(let charged) = reply {
            logger.critical(
                "the processor charged another amount; the transaction is quarantined",
                metadata: metadata(
                    stored, ["agreed": "\(terms.amount.amount)", "charged": "\(charged?.amount ?? "?")"]))
        }
        return try await settle(stored, reply, until: deadline)
    }

    /// Works on a purchase, or waits for the task that does, until it rests.
    ///
    /// It returns earlier when the purchase waits for a person, and at `last`.
    /// - Parameter fresh: The transaction as this caller's last commit has left it. It saves a read.
    /// - Returns: The transaction as it is then, or nil when the purchase is gone.
    func outcome(
        of id: String, fresh: StoredTransaction? = nil, until last: ContinuousClock.Instant
    ) async throws -> StoredTransaction? {
        var attempt = try await drive(id, fresh: fresh, until: last)
        var attempts = 1
        while true {
            switch attempt {
            case .gone: return nil
            case .now(let stored) where stored.isWithPerson || ContinuousClock.now >= last: return stored
            case .now, .busy: break
            }
            guard ContinuousClock.now < last else { return try await find(driven: id) }
            let news = inFlight.listen(id)
            // Another task may have settled it before the listening began.
            guard let stored = try await find(driven: id), !stored.isAtRest else { return try await find(driven: id) }
            await news.wait(until: min(last, .now + RetrySchedule.delay(afterAttempts: attempts)))
            attempt = try await drive(id, until: last)
            attempts += 1
        }
    }

    /// Writes the outcome. If its subscription group has events due, they come first, and it writes again.
    private func settle(
        _ stored: StoredTransaction, _ reply: ChargeReply, until deadline: ContinuousClock.Instant
    ) async throws -> StoredTransaction? {
        let settled = try finish(await commit(stored, reply))
        guard reply == .approved, let settled, !settled.isAtRest, settled.subscriptionKey != nil else {
            return settled
        }
        try await catchUp(before: settled, until: deadline)
        return try finish(await commit(settled, reply))
    }

    /// Processes the events that are due in the purchase's subscription group.
    private func catchUp(before stored: StoredTransaction, until deadline: ContinuousClock.Instant) async throws {
        var key = stored.subscriptionKey
        if key == nil { key = try await subscriptionKey(of: stored) }
        if let key { try await renewals.catchUp(stored.customer, group: key, until: deadline) }
    }

    /// Finds the key of the subscription that a purchase without terms would continue or change.
    private func subscriptionKey(of stored: StoredTransaction) async throws -> String? {
        guard let question = stored.quote?.historyQuestion else { return nil }
        return try await database.read { reader in
            let now = clock.now(try await CustomerRepository.clock(of: stored.customer.bundleId, in: reader))
            let history = try await EntitlementRepository.startHistory(of: stored.customer, in: reader)
            return try await EntitlementRepository.subscribed(question, history, at: now, in: reader)
                .subscription?.group
        }
    }

    // MARK: Commits

    /// Plans a purchase again that waited for another one of the same product.
    /// - Returns: The commit, or nil when the purchase is gone.
    private func replan(_ known: StoredTransaction) async throws -> Written? {
        try await inCommit(on: known) { commit, stored in try await commit.replan(stored) }
    }

    /// Makes the outcome commit, which writes the processor's outcome once. A second writer gets the first one's
    /// transaction.
    /// - Parameter known: The purchase as it was last read or written. The row is read again only when it has changed
    ///   since.
    /// - Returns: The commit, or nil when the purchase is gone.
    func commit(_ known: StoredTransaction, _ reply: ChargeReply) async throws -> Written? {
        try await inCommit(on: known, rereads: false, then: .insideOutcomeCommit) { commit, stored in
            switch reply {
            case .approved: try await commit.conclude(stored)
            case .failed(let error): try await commit.apply(.fail(error), to: stored)
            case .mismatch: try await commit.quarantine(stored)
            case .undecided: stored
            }
        }
    }

    /// Runs `body` on a transaction in progress. Returns any other as it is.
    /// - Parameter rereads: False for a body that writes only if the row is as `known`.
    private func inCommit(
        on known: StoredTransaction, rereads: Bool = true, then reached: Checkpoint? = nil,
        _ body: @escaping @Sendable (inout CustomerTransaction, StoredTransaction) async throws -> StoredTransaction
    ) async throws -> Written? {
        try await database.write { transaction in
            let committed = try await CustomerTransaction.run(
                known.customer, in: transaction, clock: clock, checkpoint: checkpoint
            ) {
                try await known.startSubscription(in: transaction)
            } then: { commit, subscription in
                try await commit.setSubscription(subscription)
                if !rereads, !known.isAtRest {
                    let result = try await body(&commit, known)
                    if result != known { return result as StoredTransaction? }
                }
                guard
                    let stored = try await TransactionRepository.find(known.id, of: known.customer, in: transaction)
                else { return nil }
                return stored.isAtRest || !rereads ? stored : try await body(&commit, stored)
            }
            guard let stored = committed.output else { return nil }
            if let reached { try checkpoint(reached) }
            // A second writer returns what the first one's commit has stored, as each later request with the key does.
            guard !committed.changes.isEmpty else {
                return committed.with(try await Self.withStoredReply(stored, in: transaction))
            }
            return committed.with(stored)
        }
    }

    private func metadata(_ stored: StoredTransaction, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging([
            "transaction": "\(stored.id)", "bundleId": "\(stored.customer.bundleId)",
            "customerIdentifier": "\(stored.customer.customerIdentifier)",
            "productIdentifier": "\(stored.transaction.payment.productIdentifier)",
        ]) { own, _ in own }
    }
}

extension StoredTransaction {
    /// Starts to lock the subscription that the purchase pays, for ``CustomerTransaction/setSubscription(_:)``.
    /// - Returns: The query, or nil for a purchase of another type, and for one without terms.
    fileprivate func startSubscription(
        in transaction: SQLTransaction
    ) async throws(PersistenceError) -> (group: String, lock: StartedQuery)? {
        guard let group = subscriptionKey else { return nil }
        return (group, try await SubscriptionRepository.startLock(group: group, of: customer, in: transaction))
    }
}
