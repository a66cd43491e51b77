import Logging
import StoreModels

/// `transaction.refund`, `transaction.revoke` and `revocation.acknowledge`. The decision is a commit; the processor is told
/// afterwards, here at once and by ``RefundJanitor`` until it has answered.
struct RefundDesk: Sendable {
    /// For one answer of the processor's.
    static let sendTime: Duration = .seconds(2)
    /// Before a refund is tried again that a renewal stands in the way of.
    static let pause: Duration = .milliseconds(50)

    let store: RefundStore
    let collaborators: PurchaseCollaborators
    let catchUp: PurchaseDriver.CatchUp
    let record: SalesRecord
    let logger: Logger

    /// Again is the same transaction, and no more money. The answer does not wait for a processor that is away.
    /// - Throws: `notFound`; `transactionStateInvalid` for what is no purchase; `serviceUnavailable` when a renewal of the
    ///   subscription is being charged all the time.
    func takeBack(
        _ request: RefundRequest, _ ending: SubscriptionEnding, deadline: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        let last = deadline - PurchaseCoordinator.replyMargin
        let taken = try await commit(request, ending, until: last)
        try store.checkpoint(.afterRefundCommit)
        if let customer = taken.takenFrom { record.note(ending, of: taken.transaction, customer) }
        for change in taken.changes { collaborators.publish(change) }
        if let refund = taken.refund { await send(refund, until: min(last, .now + Self.sendTime)) }
        return taken.transaction
    }

    /// A renewal that is under way comes first.
    private func commit(
        _ request: RefundRequest, _ ending: SubscriptionEnding, until last: ContinuousClock.Instant
    ) async throws -> RefundStore.TakenBack {
        while true {
            do {
                return try await store.takeBack(request, ending)
            } catch let error as StoreError where error.code == .serviceUnavailable && ContinuousClock.now < last {
                guard let known = try await store.group(of: request.id) else { throw error }
                try await catchUp(known.customer, known.group, last)
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Tells the processor once; what it does not answer stays in the outbox.
    /// - Returns: whether it has answered.
    @discardableResult
    func send(_ refund: StoredRefund, until deadline: ContinuousClock.Instant) async -> Bool {
        do {
            _ = try await collaborators.refund(refund.request, deadline)
            try store.checkpoint(.afterRefund)
            try await store.markDone(refund.key)
            return true
        } catch let error as StoreError where error.code == .requestInvalid {
            // It will say so for ever: its ledger and ours do not agree. The row stays, for a person to look.
            logger.critical("the processor refuses a refund", metadata: metadata(refund, error))
        } catch {
            logger.notice("refund unanswered", metadata: metadata(refund, error))
        }
        return false
    }

    private func metadata(_ refund: StoredRefund, _ error: any Error) -> Logger.Metadata {
        ["refund": "\(refund.key)", "transaction": "\(refund.transactionID)", "error": "\(error)"]
    }

    func acknowledge(_ request: AcknowledgeRevocationsRequest) async throws -> Empty {
        try StoreError.checkIdentifier(request.deviceId, .device, "deviceId")
        try await store.acknowledge(request)
        return Empty()
    }
}
