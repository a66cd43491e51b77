import Logging
import StoreModels

/// `queue.add`: one key, one transaction, at most one charge, whatever dies in between (`architecture.md`, a purchase).
package struct PurchaseCoordinator: Sendable {
    /// Kept back from the deadline for the way home of the reply.
    static let replyMargin: Duration = .milliseconds(200)

    let store: PurchaseStore
    let driver: PurchaseDriver
    let quotes: QuoteCache

    package init(store: PurchaseStore, driver: PurchaseDriver, quotes: QuoteCache) {
        self.store = store
        self.driver = driver
        self.quotes = quotes
    }

    /// - Parameter deadline: when the caller stops listening.
    /// - Throws: `requestInvalid`, `idempotencyKeyInvalid`, `notImplemented`, `notFound` for an unknown customer,
    ///   `keyReused`, `serviceUnavailable` and `deadlineExceeded` as long as nothing is committed.
    package func add(_ request: AddPaymentRequest, deadline: ContinuousClock.Instant) async throws -> AddPaymentReply {
        try PaymentValidation.check(request.payment)
        try PaymentValidation.checkLength(request.deviceId, 1...255, "deviceId")
        let fingerprint = RequestFingerprint.of(request.payment)
        let customer = CustomerID(bundleId: request.bundleId, customerIdentifier: request.customerIdentifier)
        guard let known = try await store.lookUp(key: request.payment.requestIdentifier, of: customer) else {
            throw StoreError(.notFound, "no such customer")
        }
        if let payment = known.payment { return try await join(payment, fingerprint, deadline) }
        let quote = try await quotes.quote(
            QuoteRequest(
                bundleId: request.bundleId, productIdentifier: request.payment.productIdentifier,
                storefront: known.customer.storefront), until: deadline)
        try driver.checkpoint(.beforeFirstCommit)
        switch try await store.begin(request, quote: quote, fingerprint: fingerprint) {
        case .existing(let payment): return try await join(payment, fingerprint, deadline)
        case .started(let written): return try await conclude(written, deadline)
        }
    }

    private func conclude(
        _ written: PurchaseStore.Written, _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        try driver.checkpoint(.afterFirstCommit)
        try driver.finish(written)
        guard !isSettled(written.stored) else { return reply(written.stored.transaction) }
        let stored = try await outcome(of: written.stored.id, fresh: written.stored, deadline)
        return reply((stored ?? written.stored).transaction)
    }

    /// The same key again: the stored answer, or the purchase in flight, whose end it waits for like the first one.
    private func join(
        _ payment: StoredPayment, _ fingerprint: String, _ deadline: ContinuousClock.Instant
    ) async throws -> AddPaymentReply {
        guard payment.fingerprint == fingerprint else {
            throw StoreError(.keyReused, "this idempotency key was used for another payment")
        }
        if let answer = payment.answer { return answer }
        guard let stored = try await outcome(of: payment.transactionID, deadline) else {
            throw StoreError(.inFlight, "the first request with this key is being written", retryAfterMs: 100)
        }
        return reply(stored.transaction)
    }

    /// Works on the purchase until it is settled or the reply has to go.
    private func outcome(
        of id: String, fresh: StoredTransaction? = nil, _ deadline: ContinuousClock.Instant
    ) async throws -> StoredTransaction? {
        let last = deadline - Self.replyMargin
        var stored = try await driver.drive(id, fresh: fresh, until: last)
        var attempts = 1
        while !(stored.map(isOver) ?? false), ContinuousClock.now < last {
            let news = driver.board.listen(id)
            // Somebody else may have settled it before the listening began.
            stored = try await store.find(id)
            if stored.map(isOver) ?? true { return stored }
            await news.wait(until: min(last, .now + RetrySchedule.delay(afterAttempts: attempts)))
            stored = try await driver.drive(id, until: last)
            attempts += 1
        }
        if let stored { return stored }
        return try await store.find(id)
    }

    /// There is nothing left to wait for.
    private func isOver(_ stored: StoredTransaction) -> Bool { isSettled(stored) || stored.phase == .quarantined }

    private func isSettled(_ stored: StoredTransaction) -> Bool { stored.transaction.transactionState != .purchasing }

    /// 201 once terminal, 202 while purchasing or deferred.
    private func reply(_ value: PaymentTransaction) -> AddPaymentReply {
        AddPaymentReply(status: value.transactionState.isTerminal ? 201 : 202, transaction: value, isReplayed: false)
    }
}
