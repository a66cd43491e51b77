import Persistence
import StoreModels

/// Handles `history.clear`, `app.reset`, `transaction.delete` and `app.remove`, which remove customers' purchases.
///
/// Customers and their sessions stay, unless their app is removed. The processor comes first: it cancels the charges of
/// purchases in flight, and a purchase it has already charged ends as purchased before it is removed. So every charge
/// has its transaction, even when another writer comes late.
struct HistoryService: QueuePart {
    /// Number of purchases in one page. A page's charges are cancelled before the next is read.
    static let pageSize = 256
    /// Maximum number of concurrent cancellations.
    static let concurrency = 16

    /// Maximum number of transactions one commit removes, so that purchases can commit in between.
    static let removalMax = 500

    let context: QueueContext
    let purchases: PurchaseService
    let renewals: RenewalService

    /// Clears the history of one account in an app, or of all accounts.
    ///
    /// Idempotency keys are removed too, so the same key may buy again. Promoted purchases are kept: one that has paid,
    /// and those the request names, never pay again (I3). Clearing again continues an interrupted clear.
    /// - Throws: `notFound` for an unknown account, `requestInvalid`, or `serviceUnavailable` when the processor does
    ///   not reply about a purchase in flight, or the time was too short for all.
    func clear(
        _ request: ClearHistoryRequest, deadline: ContinuousClock.Instant
    ) async throws -> ClearHistoryReply {
        let scope = try await scope(request)
        try await use(request.intents, of: request.bundleId)
        return ClearHistoryReply(removed: try await remove(scope, until: deadline - PurchaseService.replyMargin))
    }

    /// Clears the history of an app's customers and sets its clock to the wall clock.
    /// - Throws: As ``clear(_:deadline:)``.
    func reset(_ request: ResetRequest, deadline: ContinuousClock.Instant) async throws -> ResetReply {
        let scope = HistoryScope(bundleId: request.bundleId)
        try await use(request.intents, of: request.bundleId)
        let last = deadline - PurchaseService.replyMargin
        let removed = try await remove(scope, until: last)
        try await resetClock(of: request.bundleId)
        // What was bought meanwhile has dates of the clock that was moved.
        return ResetReply(removedTransactions: removed + (try await remove(scope, until: last)))
    }

    /// Removes some of an app's purchases, customers and other rows.
    ///
    /// The processor comes first, as for every removal of purchases. A refund that it has not replied to stays in the
    /// outbox.
    /// - Throws: `requestInvalid` for a request that lacks its deletion, or `serviceUnavailable` while the processor
    ///   does not reply about a purchase or renewal in flight.
    func removeApp(_ request: RemoveAppRequest, deadline: ContinuousClock.Instant) async throws -> RemoveAppReply {
        try request.check()
        let last = deadline - PurchaseService.replyMargin
        do {
            _ = try await remove(HistoryScope(bundleId: request.bundleId, deletion: request.deletion), until: last)
            return try await AppRemoval(database: database).remove(request)
        } catch let error as StoreError where error.retryAfterMs == 0 {
            // The time was too short, or work has begun meanwhile.
            return RemoveAppReply(isDone: false)
        }
    }

    /// Removes one transaction.
    /// - Throws: `notFound`, or `serviceUnavailable` when it is in flight and the processor does not reply.
    func delete(_ named: ScopedIdentifier, deadline: ContinuousClock.Instant) async throws -> Empty {
        let stored = try await transaction(named)
        let scope = HistoryScope(
            bundleId: stored.customer.bundleId, customerIdentifier: stored.customer.customerIdentifier,
            transactionID: stored.id)
        _ = try await remove(scope, until: deadline - PurchaseService.replyMargin)
        return Empty()
    }

    /// Uses up promoted purchases whose payments may be on their way to this service.
    ///
    /// A later payment is refused, and an earlier one can be cleared.
    private func use(_ intents: [String]?, of bundleId: String) async throws {
        let intents = intents ?? []
        guard intents.count <= ClearIntentsReply.continuedMax else {
            throw StoreError(.requestInvalid, "$.intents: has at most \(ClearIntentsReply.continuedMax) intents")
        }
        for intent in intents {
            try PaymentValidation.checkLength(intent, 1...PaymentValidation.identifierMax, "intents")
        }
        guard !intents.isEmpty else { return }
        try await database.write { transaction in
            // In one order, so that two requests do not wait for each other.
            for intent in intents.sorted() {
                try await UsedIntentRepository.use(intent, of: bundleId, in: transaction)
            }
        }
    }

    private func remove(_ scope: HistoryScope, until last: ContinuousClock.Instant) async throws -> Int {
        var total = 0
        while true {
            let cancelled =
                try await cancelCharges(scope, until: last)
                + renewals.giveUp(scope, until: last, cancel: collaborators.cancelCharge)
            var isAll = false
            while !isAll {
                guard ContinuousClock.now < last else {
                    throw StoreError(
                        .serviceUnavailable, "\(total) transactions are gone and more are left; send it again",
                        retryAfterMs: 0)
                }
                let removed = try await remove(scope)
                try publish(removed)
                isAll = removed.isAll
                total += removed.ids.count
            }
            // A purchase that has just ended may have let others begin. When there was nothing to end, a purchase in
            // flight began after this request, and is not part of the history to clear.
            if cancelled == 0 { return total }
        }
    }

    private func publish(_ removed: Removed) throws {
        guard !removed.ids.isEmpty else { return }
        try checkpoint(.afterRemovalCommit)
        for change in removed.changes { purchases.collaborators.publish(change) }
        for id in removed.ids { purchases.inFlight.announce(id) }
    }

    /// Ends all purchases in flight, page by page.
    /// - Returns: The number of purchases that were in flight.
    private func cancelCharges(_ scope: HistoryScope, until last: ContinuousClock.Instant) async throws -> Int {
        var count = 0
        var after = ""
        while true {
            let cursor = after
            let page = try await database.read { reader in
                try await HistoryRepository.charging(scope, after: cursor, limit: Self.pageSize, in: reader)
            }
            try await cancel(page, until: last)
            count += page.count
            guard page.count == Self.pageSize, let next = page.last?.id else { return count }
            after = next
        }
    }

    private func cancel(_ page: [StoredTransaction], until last: ContinuousClock.Instant) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, stored) in page.enumerated() {
                if index >= Self.concurrency { try await group.next() }
                group.addTask { try await cancel(stored, until: last) }
            }
            try await group.waitForAll()
        }
    }

    /// Ends a purchase by cancelling its charge: failed when the processor cancels it, purchased when it was too late.
    private func cancel(_ stored: StoredTransaction, until last: ContinuousClock.Instant) async throws {
        guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
        let charge: Charge
        do {
            charge = try await collaborators.cancelCharge(CancelChargeRequest(chargeKey: stored.chargeKey), last)
        } catch {
            throw StoreError(
                .serviceUnavailable, "the payment processor is away, which has to give up purchases in flight first",
                retryAfterMs: error.retryAfterMs)
        }
        try checkpoint(.afterCancel)
        let reply = ChargeReply(charge, expected: terms.amount)
        guard reply != .undecided else {
            throw StoreError(
                .serviceUnavailable, "the payment processor has not decided about a purchase in flight",
                retryAfterMs: 1_000)
        }
        if let written = try await purchases.commit(stored, reply) { try purchases.finish(written) }
    }

    // MARK: Commits

    /// The result of one removal.
    private struct Removed: Sendable {
        /// The `id`s of the removed transactions.
        var ids: [String]
        /// Changes to publish to open streams after the commit.
        var changes: [PublishedChange]
        /// Whether only transactions are left that the processor may be asked about.
        var isAll: Bool
    }

    /// Finds the customers whose history is cleared.
    /// - Throws: `notFound` for an account that is unknown in the app.
    private func scope(_ request: ClearHistoryRequest) async throws -> HistoryScope {
        guard let account = request.account else { return HistoryScope(bundleId: request.bundleId) }
        return try await database.read { reader in
            guard
                let customer = try await CustomerRepository.find(
                    account: account, bundleId: request.bundleId, in: reader)
            else { throw StoreError(.notFound, "no such account in this app") }
            return HistoryScope(
                bundleId: customer.id.bundleId, customerIdentifier: customer.id.customerIdentifier)
        }
    }

    /// Removes at most ``removalMax`` transactions that the processor cannot be asked about.
    ///
    /// The journals record the removal of those that were in a queue. Restores are removed without a journal row.
    private func remove(_ scope: HistoryScope) async throws -> Removed {
        try await database.write { transaction in
            let rows = try await HistoryRepository.removable(scope, limit: Self.removalMax, in: transaction)
            let restores = try await HistoryRepository.removeRestores(scope, limit: Self.removalMax, in: transaction)
            var removed = Removed(
                ids: [], changes: [], isAll: rows.count < Self.removalMax && restores < Self.removalMax)
            // In the order of the customers, as every commit that locks several does.
            for group in rows.chunked(on: \.customer) {
                let commit = try await Self.remove(group, of: scope, in: transaction, clock: clock)
                removed.ids += commit.output
                removed.changes += commit.changes
            }
            if !rows.isEmpty { try checkpoint(.insideRemovalCommit) }
            return removed
        }
    }

    /// Removes transactions of one customer.
    ///
    /// They are read again under the customer's lock: meanwhile the processor may be asked about one of them.
    /// - Returns: The identifiers of the removed ones.
    private static func remove(
        _ rows: [StoredTransaction], of scope: HistoryScope, in transaction: SQLTransaction, clock: BusinessClock
    ) async throws -> CustomerCommits.Committed<[String]> {
        let customer = rows[0].customer
        let removable = HistoryRepository.removable(of: customer, scope.transactionID, limit: rows.count)
        return try await CustomerCommits.decide(customer, in: transaction, clock: clock) { state in
            // With the subscriptions' locks, behind which none of their renewals begins.
            try state.need([SubscriptionRepository.allLocked(of: customer).key, removable.key])
            let stored = try state.read(removable)
            // Without an event, because it was not finished.
            for one in stored where !one.isFinished { try state.journalRemoval(of: one.transaction, event: nil) }
            // The journal lacks the removal of a finished one, and the lists of signed transactions have changed.
            if !stored.isEmpty { _ = state.nextModifiedSeq() }
            for one in stored where !one.transaction.transactionState.isTerminal && one.terms != nil {
                guard let code = one.request?.code else { continue }
                // Nothing was bought with it.
                for change in OfferCodeRepository.giveBack(code, of: one.id, customer) { state.write(change) }
            }
            let ids = stored.map(\.id)
            for change in HistoryRepository.remove(ids, of: customer) { state.write(change) }
            return ids
        }
    }

    /// Sets the app's clock to wall time, and waits for commits with the former clock.
    private func resetClock(of bundleId: String) async throws {
        try await database.write { transaction in
            try await CustomerRepository.resetClock(of: bundleId, wall: clock.wall(), in: transaction)
        }
        try await database.write { transaction in
            try await CustomerRepository.awaitCommits(of: bundleId, in: transaction)
        }
    }
}

extension Array {
    /// Groups neighbours with the same key.
    fileprivate func chunked<Key: Equatable>(on key: (Element) -> Key) -> [[Element]] {
        reduce(into: []) { groups, element in
            if let last = groups.last?.last, key(last) == key(element) {
                groups[groups.count - 1].append(element)
            } else {
                groups.append([element])
            }
        }
    }
}
