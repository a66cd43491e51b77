import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `transaction.refund`, `.revoke`, `.reverseRefund` and `revocation.acknowledge`.
///
/// A decision is one commit, which includes the refund. After it the service asks the processor, first immediately and
/// then by ``sweep(now:)`` until the processor has replied (ADR 0015). Every replica may ask about the same refund: one
/// key is one refund.
struct RefundService: QueuePart {
    /// Timeout of the processor's reply within a request.
    static let sendTime: Duration = .seconds(2)
    /// Pause before a refund delayed by a renewal is tried again.
    static let pause: Duration = .milliseconds(50)
    /// Monotonic time between two sweeps.
    static let sweepInterval: Duration = .milliseconds(500)
    /// Maximum number of concurrent requests to the processor.
    static let concurrency = 8
    /// Timeout of one attempt of a sweep.
    static let attemptTime: Duration = .seconds(3)

    let context: QueueContext
    let renewals: RenewalService
    private let retries = RetrySweep(concurrency: concurrency)

    /// Takes a purchase back. A repetition returns the same transaction and refunds nothing more.
    ///
    /// The reply does not wait for a processor that is away.
    /// - Parameter share: The part of the price that a refund gives back.
    /// - Throws: `notFound`, `transactionStateInvalid` for a transaction that is not a purchase, or
    ///   `serviceUnavailable` when renewals of the subscription are being charged until the deadline.
    func takeBack(
        _ request: RefundRequest, _ ending: SubscriptionEnding, share: RefundPortion = .full,
        deadline: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        let last = deadline - PurchaseService.replyMargin
        let taken = try await decide(request, ending, share, until: last, deadline)
        try checkpoint(.afterRefundCommit)
        if let customer = taken.takenFrom { record.note(ending, of: taken.transaction, customer) }
        for change in taken.changes { collaborators.publish(change) }
        await send(taken.refundKey, until: min(last, .now + Self.sendTime))
        return taken.transaction
    }

    /// Takes a refund back. A repetition returns the same transaction.
    ///
    /// The reply does not wait for a processor that is away.
    /// - Throws: `notFound`, or `transactionStateInvalid` for a transaction that was not refunded.
    func reverse(_ request: RefundRequest, deadline: ContinuousClock.Instant) async throws -> PaymentTransaction {
        let reversed = try await commit(request, deadline) { state, stored in try state.reverseRefund(of: stored) }
        for change in reversed.changes { collaborators.publish(change) }
        await send(reversed.refundKey, until: min(deadline - PurchaseService.replyMargin, .now + Self.sendTime))
        return reversed.transaction
    }

    /// Records that a stream of the device has delivered revocations.
    /// - Throws: `notFound` for an unknown customer, or `requestInvalid` for a position the journal has not reached.
    func acknowledge(_ request: AcknowledgeRevocationsRequest) async throws -> Empty {
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        let customer = request.customer
        try await database.write { transaction in
            guard let known = try await CustomerRepository.find(customer, in: transaction) else {
                throw StoreError(.notFound, "no such customer")
            }
            guard (0...known.headSeq).contains(request.seq) else {
                throw StoreError.requestInvalid("seq", "the customer's journal ends at \(known.headSeq)")
            }
            try await RevocationRepository.see(
                through: request.seq, of: customer, deviceId: request.deviceId, in: transaction)
        }
        return Empty()
    }

    /// Sends every refund that is due once, including those of a process that died.
    /// - Returns: The number of refunds without a reply.
    @discardableResult
    func sweep(now: ContinuousClock.Instant = .now) async throws -> Int {
        try await retries.run(now: now, id: \.key) { [database] after, limit in
            try await database.read { reader in try await RefundRepository.open(after: after, limit: limit, in: reader)
            }
        } attempt: { refund in
            await send(refund, until: .now + Self.attemptTime)
        }
    }

    // MARK: Decisions

    /// The result of a decision.
    private struct TakenBack: Sendable {
        var transaction: PaymentTransaction
        /// The customer. Nil when the purchase was taken back before.
        var takenFrom: CustomerReference?
        /// Changes to publish after the commit.
        var changes: [PublishedChange]
        /// The key of the purchase's refund, if it has one.
        var refundKey: String
    }

    /// Decides after a renewal in progress has ended.
    private func decide(
        _ request: RefundRequest, _ ending: SubscriptionEnding, _ share: RefundPortion,
        until last: ContinuousClock.Instant, _ deadline: ContinuousClock.Instant
    ) async throws -> TakenBack {
        while true {
            do {
                return try await commit(request, deadline) { state, stored in
                    try state.takeBack(stored, ending, share: share, reason: request.reason ?? .other)
                }
            } catch let error as StoreError where error.code == .serviceUnavailable && ContinuousClock.now < last {
                guard let known = try await group(of: request.transaction) else { throw error }
                try await renewals.catchUp(known.customer, group: known.group, until: last)
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Commits a decision about the transaction of a request.
    /// - Throws: `notFound`, `deadlineExceeded`, or the decision's error.
    private func commit(
        _ request: RefundRequest, _ deadline: ContinuousClock.Instant,
        _ decide: @escaping @Sendable (inout CustomerState, StoredTransaction) throws -> StoredTransaction
    ) async throws -> TakenBack {
        let known = try await transaction(request.transaction)
        let committed = try await commits.commit(
            known.customer, asking: CustomerState.lookups(takingBack: known), reaching: .insideRefundCommit,
            until: deadline
        ) { state in
            try decide(&state, state.existing(known.id))
        }
        return TakenBack(
            transaction: committed.output.transaction, takenFrom: committed.changes.isEmpty ? nil : known.customer,
            changes: committed.changes, refundKey: StoredRefund.key(of: known.id))
    }

    /// Finds the customer and key of the subscription a transaction belongs to.
    private func group(
        of named: ScopedIdentifier
    ) async throws -> (customer: CustomerReference, group: String)? {
        try await database.read { reader in
            guard let stored = try await TransactionRepository.find(named, in: reader),
                let group = stored.subscriptionKey
            else { return nil }
            return (stored.customer, group)
        }
    }

    // MARK: Requests to the processor

    /// Asks the processor about a committed refund, unless there is none or the processor has replied to it.
    ///
    /// A refund that cannot be read now is sent by the next sweep.
    private func send(_ key: String, until deadline: ContinuousClock.Instant) async {
        do {
            let open = try await database.read { reader in try await RefundRepository.open(key, in: reader) }
            if let open { await send(open, until: deadline) }
        } catch {
            logger.notice("refund delayed", metadata: ["refund": "\(key)", "error": "\(error)"])
        }
    }

    /// Asks the processor once. Without a reply the refund stays open.
    /// - Returns: Whether the processor has replied.
    @discardableResult
    private func send(_ refund: StoredRefund, until deadline: ContinuousClock.Instant) async -> Bool {
        do {
            if !refund.isDone {
                _ = try await collaborators.refund(refund.request, deadline)
                try checkpoint(.afterRefund)
                try await database.write { transaction in
                    try await RefundRepository.markDone(refund.key, in: transaction)
                }
            }
            guard refund.isReversal else { return true }
            _ = try await collaborators.reverseRefund(ReverseRefundRequest(refundKey: refund.key), deadline)
            try await database.write { transaction in
                try await RefundRepository.markReversed(refund.key, in: transaction)
            }
            return true
        } catch let error as StoreError where error.code == .requestInvalid {
            // Retries get the same reply: the processor's ledger disagrees. The row stays for the operator.
            logger.critical("the processor refuses a refund", metadata: metadata(refund, error))
        } catch {
            logger.notice("refund unanswered", metadata: metadata(refund, error))
        }
        return false
    }

    private func metadata(_ refund: StoredRefund, _ error: any Error) -> Logger.Metadata {
        ["refund": "\(refund.key)", "transaction": "\(refund.transactionID)", "error": "\(error)"]
    }
}
