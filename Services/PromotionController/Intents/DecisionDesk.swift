import EventLoop
import Persistence
import StoreModels

/// Handles `intent.decide` and `intent.add`. The first decision counts (I2); it is recorded before PaymentQueue gets
/// the payment (docs/adr/0017-intents-decided-once.md).
struct DecisionDesk: Sendable {
    /// Time reserved for recording PaymentQueue's answer and replying.
    static let replyMargin: Duration = .milliseconds(300)

    let database: any SQLDatabase
    let times: AppTimes
    let adder: PaymentAdder
    let checkpoint: CheckpointHook
    /// Intents whose payment this process is adding now; the janitor skips them.
    let underWay = Locked<Set<ExactText>>([])

    /// Result of a commit. A refusal is not thrown inside of it, so that expiries found on the way are committed.
    private enum Decided: Sendable {
        case done(StoredIntent, isRepeated: Bool)
        case refused(StoreError)
    }

    /// - Returns: The intent, with `continue` also PaymentQueue's answer, if it came in time; otherwise the decision is
    ///   kept and the transaction comes on the stream.
    /// - Throws: `intentDecided`, `intentExpired`, `notFound`, `requestInvalid`; PaymentQueue's definitive error, and
    ///   then the intent is deferred again.
    func decide(_ request: DecideIntentRequest, deadline: ContinuousClock.Instant) async throws -> DecideIntentReply {
        try DeviceRules.check(feedback: request.feedback, with: request.decision)
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        let decided = try await change(
            request.intentIdentifier, of: installation, request.customerIdentifier, deadline
        ) { intent, commit in
            try await Self.decided(
                .decided(request.decision, feedback: request.feedback), on: intent, commit,
                with: request.decision == .continue ? StoredIntent.Addition(payment: intent.payment) : nil)
        }
        guard decided.intent.life.state == .continued else {
            return DecideIntentReply(intent: decided.intent.intent, isRepeated: decided.isRepeated)
        }
        switch try await add(decided.intent, deadline) {
        case .added(let reply, let intent):
            return DecideIntentReply(intent: intent.intent, added: reply, isRepeated: decided.isRepeated)
        case .refused(let error): throw error
        case .unknown: return DecideIntentReply(intent: decided.intent.intent, isRepeated: decided.isRepeated)
        }
    }

    /// Adds the saved payment for the app under the app's key (M80–M82).
    /// - Throws: As ``decide(_:deadline:)``; `intentMismatch`; `intentDecided` for another key; `keyReused`;
    ///   PaymentQueue's error when it returns no transaction.
    func add(_ request: AddIntentPaymentRequest, deadline: ContinuousClock.Instant) async throws -> DecideIntentReply {
        guard let identifier = request.payment.intentIdentifier else {
            throw DeviceRules.invalid("$.payment.intentIdentifier", "is missing")
        }
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        let decided = try await change(identifier, of: installation, request.customerIdentifier, deadline) {
            intent, commit in
            try IntentPaymentPolicy.check(request.payment, continues: intent.payment)
            if intent.life.state == .continued {
                try IntentPaymentPolicy.check(request.payment, repeats: intent.addition?.payment)
            }
            return try await Self.decided(
                .decided(.continue), on: intent, commit,
                with: StoredIntent.Addition(payment: request.payment, discountCheck: request.discountCheck))
        }
        switch try await add(decided.intent, deadline) {
        case .added(let reply, let intent):
            return DecideIntentReply(intent: intent.intent, added: reply, isRepeated: decided.isRepeated)
        case .refused(let error), .unknown(let error): throw error
        }
    }

    /// Locks the intent, applies the time and changes it.
    private func change(
        _ identifier: String, of installation: InstallationReference, _ customer: String,
        _ deadline: ContinuousClock.Instant,
        _ change: @escaping @Sendable (StoredIntent, IntentCommit) async throws -> Decided
    ) async throws -> (intent: StoredIntent, isRepeated: Bool) {
        let now = try await times.now(of: installation.bundleId, deadline: deadline)
        let decided = try await database.write { transaction in
            guard let locked = try await IntentRepository.lock(identifier, in: transaction),
                locked.belongs(to: installation, customer)
            else { throw StoreError.noIntent(identifier) }
            let commit = IntentCommit(transaction: transaction, now: now)
            let decided = try await change(try await commit.settle(locked), commit)
            try checkpoint(.insideDecisionCommit)
            return decided
        }
        try checkpoint(.afterDecisionCommit)
        switch decided {
        case .done(let intent, let isRepeated): return (intent, isRepeated)
        case .refused(let error): throw error
        }
    }

    private static func decided(
        _ event: PurchaseIntent.Life.Event, on intent: StoredIntent, _ commit: IntentCommit,
        with addition: StoredIntent.Addition?
    ) async throws -> Decided {
        do {
            let applied = try await commit.apply(event, to: intent) { $0.addition = addition ?? $0.addition }
            return .done(applied.intent, isRepeated: !applied.isChanged)
        } catch let refusal as PurchaseIntent.Life.Refusal {
            return .refused(StoreError(refusal))
        }
    }

    /// Adds the payment. Repeating it is safe: PaymentQueue gives the same answer.
    private func add(
        _ intent: StoredIntent, _ deadline: ContinuousClock.Instant
    ) async throws -> PaymentAdder.Outcome {
        underWay.withLock { _ = $0.insert(intent.id) }
        defer { underWay.withLock { _ = $0.remove(intent.id) } }
        return try await adder.add(intent, deadline: deadline - Self.replyMargin)
    }
}

extension StoreError {
    init(_ refusal: PurchaseIntent.Life.Refusal) {
        switch refusal {
        case .expired: self.init(.intentExpired, "the purchase has expired; begin it in the store again")
        case .decided(let state):
            self.init(
                .intentDecided, "the intent is \(state.rawValue) already",
                details: ["state": .string(state.rawValue)])
        }
    }
}
