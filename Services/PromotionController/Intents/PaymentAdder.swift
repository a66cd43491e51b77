import Persistence
import StoreModels

/// Hands a continued intent's payment to PaymentQueue and writes down what came of it. The key is the payment's own, so
/// doing it again is doing it once (I3). A payment that was confirmed is only asked about: where PaymentQueue has it no
/// longer, it buys nothing.
struct PaymentAdder: Sendable {
    enum Outcome: Sendable {
        /// There is a transaction.
        case added(AddPaymentReply, StoredIntent)
        /// This payment has made none; the intent is deferred again, unless there is another payment.
        case refused(StoreError)
        /// Nobody knows yet; the janitor asks again.
        case unknown(StoreError)
    }

    let database: any SQLDatabase
    let times: AppTimes
    let checkpoint: CheckpointHook
    let addPayment: @Sendable (AddPaymentRequest, ContinuousClock.Instant) async throws(StoreError) -> AddPaymentReply

    /// - Parameter intent: continued, as its commit left it.
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
            // PaymentQueue has a payment of this intent under another key, or had one that was cleared away: it is over.
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

    /// - Returns: the intent as it is now.
    private func note(
        _ event: PurchaseIntent.Life.Event, of intent: StoredIntent,
        changing change: @escaping @Sendable (inout StoredIntent) -> Void = { _ in }
    ) async throws -> StoredIntent {
        let now = PurchaseIntent.Life.Now(wall: times.wall(), business: .distantPast)
        let noted = try await database.write { transaction in
            guard let current = try await IntentRepository.lock(intent.id, in: transaction) else { return intent }
            // A refusal of what is no longer the intent's payment says nothing about it.
            guard event == .added || current.addition == intent.addition else { return current }
            let commit = IntentCommit(transaction: transaction, now: now)
            if event == .added, current.life.state == .cancelled || current.life.state == .expired {
                // Decided while the payment was on its way; the operator has to see that there is a transaction.
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
    /// Whether the service has said no and will say so again: 4xx but "try again", and what it cannot do.
    var isDefinitive: Bool { !retryable && ((400..<500).contains(status) || code == .notImplemented) }
}
