import Persistence
import StoreModels

/// Adds a continued intent's payment to PaymentQueue and records the result. The payment has its own key, so repeating
/// it has no further effect (I3). A confirmed payment is only queried: where PaymentQueue no longer has it, it buys
/// nothing.
struct PaymentAdder: Sendable {
    enum Outcome: Sendable {
        /// There is a transaction.
        case added(AddPaymentReply, StoredIntent)
        /// This payment created none; the intent is deferred again, unless there is another payment.
        case refused(StoreError)
        /// The result is unknown; the janitor asks again.
        case unknown(StoreError)
    }

    let database: any SQLDatabase
    let times: AppTimes
    let checkpoint: CheckpointHook
    let addPayment: @Sendable (AddPaymentRequest, ContinuousClock.Instant) async throws(StoreError) -> AddPaymentReply

    /// - Parameter intent: A continued intent, as its commit left it.
    func add(_ intent: StoredIntent, deadline: ContinuousClock.Instant) async throws -> Outcome {
        guard let addition = intent.addition else { preconditionFailure("a continued intent has its payment") }
        switch await ask(intent, addition, deadline) {
        case .success(let reply):
            try checkpoint(.afterAddition)
            let noted = try await note(.added, of: intent) { $0.transactionId = reply.transaction.id }
            return .added(reply, noted)
        case .failure(let error) where !error.isDefinitive:
            return .unknown(error)
        case .failure(let error):
            try checkpoint(.afterAddition)
            // PaymentQueue has a payment of this intent under another key, or had one that was cleared: it is final.
            _ = try await note(error.code == .intentDecided ? .added : .refused, of: intent)
            return .refused(error)
        }
    }

    private func ask(
        _ intent: StoredIntent, _ addition: StoredIntent.Addition, _ deadline: ContinuousClock.Instant
    ) async -> Result<AddPaymentReply, StoreError> {
        let request = AddPaymentRequest(
            bundleId: intent.installation.bundleId, customerIdentifier: intent.customerIdentifier,
            deviceId: intent.installation.deviceId, payment: addition.payment, discountCheck: addition.discountCheck,
            isTest: intent.source == .testURL ? true : nil, isRepeat: intent.life.isAdded ? true : nil)
        do throws(StoreError) {
            return .success(try await addPayment(request, deadline))
        } catch {
            return .failure(error)
        }
    }

    /// - Returns: The intent as it is now.
    private func note(
        _ event: PurchaseIntent.Life.Event, of intent: StoredIntent,
        changing change: @escaping @Sendable (inout StoredIntent) -> Void = { _ in }
    ) async throws -> StoredIntent {
        let now = PurchaseIntent.Life.Now(wall: times.wall(), business: .distantPast)
        let noted = try await database.write { transaction in
            guard let current = try await IntentRepository.lock(intent.id, in: transaction) else { return intent }
            // A refusal of an outdated payment does not affect the intent.
            guard event == .added || current.addition == intent.addition else { return current }
            let commit = IntentCommit(transaction: transaction, now: now)
            if event == .added, current.life.state == .cancelled || current.life.state == .expired {
                // Decided while the payment was on its way; the operator must see that there is a transaction.
                return try await commit.rewrite(current, change)
            }
            let noted = try await commit.apply(event, to: current) { next in
                next.addition = event == .added ? intent.addition : nil
                change(&next)
            }
            try checkpoint(.insideAdditionCommit)
            return noted.intent
        }
        try checkpoint(.afterAdditionCommit)
        return noted
    }
}

extension StoreError {
    /// Whether a repetition would get the same error: 4xx that is not retryable, and unsupported operations.
    var isDefinitive: Bool { !retryable && ((400..<500).contains(status) || code == .notImplemented) }
}
