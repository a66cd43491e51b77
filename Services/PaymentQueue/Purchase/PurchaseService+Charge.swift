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
            reply = try await collaborators.reply(to: request, until: min(deadline, .now + Self.chargeTime))
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
            let facts = try await EntitlementRepository.facts(of: stored.customer, in: reader)
            return EntitlementRepository.Subscribed(question, facts.history, among: facts.subscriptions, at: now)
                .subscription?.group
        }
    }

    // MARK: Commits

    /// Plans a purchase again that waited for another one of the same product.
    /// - Returns: The commit, or nil when the purchase is gone.
    private func replan(_ known: StoredTransaction) async throws -> Written? {
        let lookups = known.quote.map {
            CustomerState.lookups(for: $0, of: known.customer, known.transaction.payment, known.request)
        }
        return try await commit(known, asking: lookups ?? []) { state, stored in try state.replan(stored) }
    }

    /// Makes the outcome commit, which writes the processor's outcome once. A second writer gets the first one's
    /// transaction.
    /// - Parameter known: The purchase as it was last read or written.
    /// - Returns: The commit, or nil when the purchase is gone.
    func commit(_ known: StoredTransaction, _ reply: ChargeReply) async throws -> Written? {
        try await commit(
            known, asking: CustomerState.lookups(endOf: known), identifierCount: reply == .approved ? 1 : 0,
            reaching: .insideOutcomeCommit
        ) { state, stored in
            switch reply {
            case .approved: try state.conclude(stored)
            case .failed(let error): try state.apply(.fail(error), to: stored)
            case .mismatch: state.quarantine(stored)
            case .undecided: stored
            }
        }
    }

    /// Commits a decision about a transaction in progress. Returns any other as it is.
    private func commit(
        _ known: StoredTransaction, asking lookups: [SQLLookupKey], identifierCount: Int = 0,
        reaching reached: Checkpoint? = nil,
        _ decide: @escaping @Sendable (inout CustomerState, StoredTransaction) throws -> StoredTransaction
    ) async throws -> Written? {
        let (id, customer) = (known.id, known.customer)
        let committed = try await commits.commit(
            customer, asking: [TransactionRepository.find(id, of: customer).key] + lookups,
            identifierCount: identifierCount, reaching: reached
        ) { state -> StoredTransaction? in
            guard let stored = try state.transaction(id) else { return nil }
            let next = stored.isAtRest ? stored : try decide(&state, stored)
            guard state.entries.isEmpty, next.transaction.transactionState.isTerminal else { return next }
            // A second writer returns what the first one's commit has stored, as each later request with the key does.
            return next.replaced(by: try state.read(PaymentRepository.reply(of: id, customer)))
        }
        return committed.output.map { committed.with($0) }
    }

    private func metadata(_ stored: StoredTransaction, _ more: Logger.Metadata) -> Logger.Metadata {
        more.merging([
            "transaction": "\(stored.id)", "bundleId": "\(stored.customer.bundleId)",
            "customerIdentifier": "\(stored.customer.customerIdentifier)",
            "productIdentifier": "\(stored.transaction.payment.productIdentifier)",
        ]) { own, _ in own }
    }
}
