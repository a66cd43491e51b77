import StoreModels

/// Retries a purchase or renewal when the processor calls back about its charge.
///
/// A callback may be late, repeated, or about a purchase that has ended or never existed, so only its key is used. The
/// sweep retries those whose callback was lost.
struct ChargeCallbacks: Sendable {
    /// Maximum number of waiting keys. More are dropped.
    static let waitingMax = 1_000
    /// Maximum number of charges retried concurrently.
    static let concurrency = 16

    let purchases: PurchaseService
    let renewals: RenewalService
    let subscribe: PurchaseCollaborators.ChargeChanges

    /// Handles callbacks until the task is cancelled.
    func run() async {
        let (keys, waiting) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingOldest(Self.waitingMax))
        let unsubscribe = await subscribe { waiting.yield($0.chargeKey) }
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            for await key in keys {
                if running == Self.concurrency {
                    await group.next()
                    running -= 1
                }
                group.addTask { await retry(key) }
                running += 1
            }
        }
        await unsubscribe()
    }

    /// Retries the purchase or renewal of a charge key. Other keys are ignored.
    private func retry(_ key: String) async {
        if let id = StoredTransaction.id(ofChargeKey: key) {
            await purchases.retry(id)
        } else {
            await renewals.retry(chargeKey: key)
        }
    }
}

/// The meaning of the processor's reply for a purchase or renewal.
enum ChargeReply: Hashable, Sendable {
    case approved
    case failed(TransactionError)
    /// The reply has another amount than agreed.
    ///
    /// The purchase neither succeeds nor fails until an operator decides.
    case mismatch(charged: Money?)
    /// The processor has not decided yet, so it is asked again.
    case undecided

    init(_ charge: Charge, expected: Money) {
        switch charge.outcome {
        case .approved: self = charge.amount == expected ? .approved : .mismatch(charged: charge.amount)
        case .declined:
            let error = TransactionError(.unknown, charge.declineReason ?? "The payment was declined.")
            self = .failed(error.dueTo("processor"))
        case .cancelled: self = .failed(TransactionError(.paymentCancelled, "The payment was cancelled."))
        case .pending, .authorized: self = .undecided
        }
    }
}
