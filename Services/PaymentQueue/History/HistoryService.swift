import StoreModels

/// `history.clear`, `app.reset` and `transaction.delete`: remove what customers have bought. The store is then as if
/// they had never been here, but customers and their sessions stay.
///
/// The processor comes first: it gives up the charges of purchases in flight, and a purchase it has already charged
/// ends as purchased before it is removed. So nothing is charged without a transaction, even when another writer comes
/// late.
struct HistoryService: Sendable {
    /// Purchases of one page; so many are cancelled before the next are looked up.
    static let pageSize = 256
    /// Cancellations under way at once.
    static let concurrency = 16

    let store: PurchaseStore
    let driver: PurchaseDriver
    let renewer: SubscriptionRenewer
    let cancelCharge: @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge

    init(
        store: PurchaseStore, driver: PurchaseDriver, renewer: SubscriptionRenewer,
        cancelCharge:
            @escaping @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) ->
            Charge
    ) {
        self.store = store
        self.driver = driver
        self.renewer = renewer
        self.cancelCharge = cancelCharge
    }

    /// Clears the history of one account in an app, or of all. Idempotency keys are forgotten too: the same key may buy
    /// again. Promoted purchases are not forgotten: one that has paid, and those the request names, never pay again
    /// (I3). Doing it again does what was left undone.
    /// - Throws: `notFound` for an unknown account; `requestInvalid`; `serviceUnavailable` when the processor does not
    ///   answer about a purchase in flight, or the time was too short for all.
    func clear(
        _ request: ClearHistoryRequest, deadline: ContinuousClock.Instant
    ) async throws -> ClearHistoryReply {
        let scope = try await store.scope(request)
        try await use(request.intents, of: request.bundleId)
        return ClearHistoryReply(removed: try await remove(scope, until: deadline - PurchaseCoordinator.replyMargin))
    }

    /// Clears the history of all customers of an app and sets its clock to the wall clock.
    /// - Throws: As ``clear(_:deadline:)``.
    func reset(_ request: ResetRequest, deadline: ContinuousClock.Instant) async throws -> ResetReply {
        let scope = HistoryScope(bundleId: request.bundleId)
        try await use(request.intents, of: request.bundleId)
        let last = deadline - PurchaseCoordinator.replyMargin
        let removed = try await remove(scope, until: last)
        try await store.resetClock(of: request.bundleId)
        // What was bought meanwhile has dates of the clock that was moved.
        return ResetReply(removedTransactions: removed + (try await remove(scope, until: last)))
    }

    /// Removes one transaction for good, as ``clear(_:deadline:)`` does all of them.
    /// - Throws: `notFound`; `serviceUnavailable` when it is in flight and the processor does not answer.
    func delete(_ request: OperateTransactionRequest, deadline: ContinuousClock.Instant) async throws -> Empty {
        let scope = try await store.scope(of: request.id)
        _ = try await remove(scope, until: deadline - PurchaseCoordinator.replyMargin)
        return Empty()
    }

    private func use(_ intents: [String]?, of bundleId: String) async throws {
        let intents = intents ?? []
        guard intents.count <= ClearIntentsReply.continuedMax else {
            throw StoreError(.requestInvalid, "$.intents: has at most \(ClearIntentsReply.continuedMax) intents")
        }
        for intent in intents {
            try PaymentValidation.checkLength(intent, 1...PaymentValidation.identifierMax, "intents")
        }
        try await store.use(intents, of: bundleId)
    }

    private func remove(_ scope: HistoryScope, until last: ContinuousClock.Instant) async throws -> Int {
        var total = 0
        while true {
            let cancelled =
                try await cancelCharges(scope, until: last)
                + renewer.giveUp(scope, until: last, cancel: cancelCharge)
            var isAll = false
            while !isAll {
                guard ContinuousClock.now < last else {
                    throw StoreError(
                        .serviceUnavailable, "\(total) transactions are gone and more are left; send it again",
                        retryAfterMs: 0)
                }
                let removed = try await store.remove(scope)
                try tell(removed)
                isAll = removed.isAll
                total += removed.ids.count
            }
            // What ended just now may have let others begin that waited for it. When there was nothing to end, a
            // purchase in flight began after this request, and is not part of what was to be cleared.
            if cancelled == 0 { return total }
        }
    }

    private func tell(_ removed: PurchaseStore.Removed) throws {
        guard !removed.ids.isEmpty else { return }
        try driver.checkpoint(.afterRemovalCommit)
        for change in removed.changes { driver.collaborators.publish(change) }
        for id in removed.ids { driver.board.announce(id) }
    }

    /// Ends all purchases in flight, page by page.
    /// - Returns: The number of purchases that were in flight.
    private func cancelCharges(_ scope: HistoryScope, until last: ContinuousClock.Instant) async throws -> Int {
        var count = 0
        var after = ""
        while true {
            let page = try await store.charging(scope, after: after, limit: Self.pageSize)
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

    /// The processor's word ends the purchase, as it always does: failed when the charge was given up, purchased when
    /// it was too late for that.
    private func cancel(_ stored: StoredTransaction, until last: ContinuousClock.Instant) async throws {
        guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
        let charge: Charge
        do {
            charge = try await cancelCharge(CancelChargeRequest(chargeKey: stored.chargeKey), last)
        } catch {
            throw StoreError(
                .serviceUnavailable, "the payment processor is away, which has to give up purchases in flight first",
                retryAfterMs: error.retryAfterMs)
        }
        try driver.checkpoint(.afterCancel)
        let answer = ChargeAnswer(charge, expected: terms.amount)
        guard answer != .undecided else {
            throw StoreError(
                .serviceUnavailable, "the payment processor has not decided about a purchase in flight",
                retryAfterMs: 1_000)
        }
        if let written = try await store.settle(stored, answer) { try driver.finish(written) }
    }
}
