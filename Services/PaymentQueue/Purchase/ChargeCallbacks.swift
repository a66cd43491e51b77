import StoreModels

/// Listens to the processor's callbacks. Each is a hint to ask about one charge: it may be late, come twice, or be
/// about a purchase that has ended or never was, and nothing is believed of it but the key. The sweep finds what a lost
/// one was about.
struct ChargeCallbacks: Sendable {
    /// Keys that wait to be looked at; more are dropped.
    static let waitingMax = 1_000
    /// Purchases looked at at once.
    static let concurrency = 16

    let purchases: PurchaseService
    let renewals: RenewalService
    let subscribe: PurchaseCollaborators.ChargeChanges

    /// Until the task is cancelled.
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

    /// A key that is neither a purchase's nor a renewal's is not ours.
    private func retry(_ key: String) async {
        if let id = StoredTransaction.id(ofChargeKey: key) {
            await purchases.retry(id)
        } else {
            await renewals.retry(chargeKey: key)
        }
    }
}

/// What the processor's answer means for the purchase that asked.
enum ChargeAnswer: Hashable, Sendable {
    case approved
    case failed(TransactionError)
    /// The answer is about another amount than was agreed. The purchase neither succeeds nor fails until an operator
    /// has looked at it.
    case mismatch(charged: Money?)
    /// The processor has not made up its mind; it is asked again.
    case undecided

    init(_ charge: Charge, expected: Money) {
        switch charge.outcome {
        case .approved: self = charge.amount == expected ? .approved : .mismatch(charged: charge.amount)
        case .declined:
            let error = TransactionError(.unknown, charge.declineReason ?? "The payment was declined.")
            self = .failed(error.dueTo("processor"))
        case .cancelled: self = .failed(TransactionError(.paymentCancelled, "The payment was cancelled."))
        case .pending: self = .undecided
        }
    }
}
