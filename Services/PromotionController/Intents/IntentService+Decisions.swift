import BusService
import EventLoop
import Persistence
import PlantedBugs
import StoreModels

/// Handles `intent.decide` and `intent.add`. The first decision counts (I2).
///
/// It is recorded before PaymentQueue gets the payment (ADR 0017).
extension IntentService {
    /// The result of a commit.
    ///
    /// The commit does not throw a refusal, so that the expiries it has found are committed.
    private enum Decided: Sendable {
        case done(StoredIntent, isRepeated: Bool)
        case refused(StoreError)
    }

    /// Decides about an intent.
    /// - Returns: The intent, with `continue` also PaymentQueue's reply if it came in time. Otherwise the decision is
    ///   kept and the transaction comes on the stream.
    /// - Throws: `intentDecided`, `intentExpired`, `notFound`, `requestInvalid`, or PaymentQueue's definitive error.
    ///   After that error the intent is deferred again.
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
        switch try await addPayment(of: decided.intent, deadline) {
        case .added(let reply, let intent):
            return DecideIntentReply(intent: intent.intent, added: reply, isRepeated: decided.isRepeated)
        case .refused(let error): throw error
        case .unknown: return DecideIntentReply(intent: decided.intent.intent, isRepeated: decided.isRepeated)
        }
    }

    /// Adds the saved payment for the app under the app's key (M80–M82).
    /// - Throws: As ``decide(_:deadline:)``, `intentMismatch`, `intentDecided` for another key, `keyReused`,
    ///   PaymentQueue's error when there is no payment, or `outcomeUnknown` when there may be one, or will be.
    func add(_ request: AddIntentPaymentRequest, deadline: ContinuousClock.Instant) async throws -> DecideIntentReply {
        guard let identifier = request.payment.intentIdentifier else {
            throw DeviceRules.invalid("$.payment.intentIdentifier", "is missing")
        }
        let installation = InstallationReference(bundleId: request.bundleId, deviceId: request.deviceId)
        let decided = try await change(identifier, of: installation, request.customerIdentifier, deadline) {
            intent, commit in
            try IntentPaymentPolicy.check(request.payment, continues: intent.payment)
            try IntentPaymentPolicy.check(offer: request.offer, continues: intent.offer)
            if intent.life.state == .continued {
                try IntentPaymentPolicy.check(request.payment, repeats: intent.addition?.payment)
            }
            return try await Self.decided(
                .decided(.continue), on: intent, commit,
                with: StoredIntent.Addition(payment: request.payment, discountCheck: request.discountCheck))
        }
        switch try await addPayment(of: decided.intent, deadline) {
        case .added(let reply, let intent):
            return DecideIntentReply(intent: intent.intent, added: reply, isRepeated: decided.isRepeated)
        case .refused(let error): throw error
        case .unknown(let error):
            // The payment is kept and will be made. A 503 would say that nothing was done.
            throw StoreError(
                .outcomeUnknown, "the payment is kept, and its outcome is not known yet; repeat it with the same key",
                retryAfterMs: error.retryAfterMs)
        }
    }

    /// Locks the intent, applies the time and changes it.
    private func change(
        _ identifier: String, of installation: InstallationReference, _ customer: String,
        _ deadline: ContinuousClock.Instant,
        _ change: @escaping @Sendable (StoredIntent, IntentTransaction) async throws -> Decided
    ) async throws -> (intent: StoredIntent, isRepeated: Bool) {
        let now = try await times.now(of: installation.bundleId, deadline: deadline)
        let decided = try await database.write { transaction in
            guard let locked = try await IntentRepository.lock(identifier, in: transaction),
                locked.belongs(to: installation, customer)
            else { throw StoreError.noIntent(identifier) }
            let commit = IntentTransaction(transaction: transaction, now: now)
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
        _ event: StorePurchaseIntent.Life.Event, on intent: StoredIntent, _ commit: IntentTransaction,
        with addition: StoredIntent.Addition?
    ) async throws -> Decided {
        do {
            let applied = try await commit.apply(event, to: intent) { $0.addition = addition ?? $0.addition }
            return .done(applied.intent, isRepeated: !applied.isChanged)
        } catch let refusal as StorePurchaseIntent.Life.Refusal {
            return .refused(StoreError(refusal))
        }
    }

    // MARK: Payment

    /// The result of adding a payment.
    enum AdditionResult: Sendable {
        /// PaymentQueue has a transaction.
        case added(AddPaymentReply, StoredIntent)
        /// This payment has no transaction. The intent is deferred again, unless there is another payment.
        case refused(StoreError)
        /// The result is unknown, and the sweep asks again.
        case unknown(StoreError)
    }

    /// Adds the payment for a request, while sweeps skip it. Repeating it is safe: PaymentQueue replies the same.
    private func addPayment(
        of intent: StoredIntent, _ deadline: ContinuousClock.Instant
    ) async throws -> AdditionResult {
        paymentsInFlight.withLock { _ = $0.insert(intent.id) }
        defer { paymentsInFlight.withLock { _ = $0.remove(intent.id) } }
        return try await addPayment(of: intent, deadline: deadline - Self.replyMargin)
    }

    /// Adds a continued intent's payment to PaymentQueue and records the result.
    ///
    /// The payment has its own key, so repeating it has no further effect (I3). A confirmed payment is only queried. If
    /// PaymentQueue no longer has it, it buys nothing.
    /// - Parameter intent: A continued intent, as its commit left it.
    func addPayment(of intent: StoredIntent, deadline: ContinuousClock.Instant) async throws -> AdditionResult {
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
            redeemedOffer: intent.offer.map { RedeemedOffer(type: .winBack, identifier: $0) },
            isTest: intent.source == .testURL ? true : nil, isRepeat: intent.life.isAdded ? true : nil)
        do throws(StoreError) {
            let request = PlantedBug.isActive(.intentPaidTwice) ? request.underNewKey : request
            return .success(try await collaborators.addPayment(request, deadline))
        } catch {
            return .failure(error)
        }
    }

    /// Records the result of adding a payment.
    /// - Returns: The intent as it is now.
    private func note(
        _ event: StorePurchaseIntent.Life.Event, of intent: StoredIntent,
        changing change: @escaping @Sendable (inout StoredIntent) -> Void = { _ in }
    ) async throws -> StoredIntent {
        let now = StorePurchaseIntent.Life.Now(wall: times.wall(), business: .earliest)
        let noted = try await database.write { transaction in
            guard let current = try await IntentRepository.lock(intent.id, in: transaction) else { return intent }
            // A refusal of an outdated payment does not affect the intent.
            guard event == .added || current.addition == intent.addition else { return current }
            let commit = IntentTransaction(transaction: transaction, now: now)
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
    init(_ refusal: StorePurchaseIntent.Life.Refusal) {
        switch refusal {
        case .expired: self.init(.intentExpired, "the purchase has expired; begin it in the store again")
        case .decided(let state):
            self.init(
                .intentDecided, "the intent is \(state.rawValue) already",
                details: ["state": .string(state.rawValue)])
        }
    }
}

extension StoreError {
    /// Whether a repetition gets the same error: 4xx that is not retryable, and unsupported operations.
    var isDefinitive: Bool { !retryable && ((400..<500).contains(status) || code == .notImplemented) }
}

/// Checks that a payment matches its intent (I5), and compares repeated ones (I3), without I/O.
enum IntentPaymentPolicy {
    /// Checks a payment against its intent's.
    ///
    /// The user's names are not compared: the app sets them when it adds the payment.
    /// - Throws: `intentMismatch` that names the first member that differs.
    static func check(_ payment: Payment, continues intent: Payment) throws(StoreError) {
        func differs(_ member: String, _ found: String, _ expected: String) -> StoreError {
            StoreError(
                .intentMismatch, "the payment's \(member) is \(found) and the intent's is \(expected)",
                details: ["member": .string(member)])
        }
        guard payment.productIdentifier.isExactly(intent.productIdentifier) else {
            throw differs("productIdentifier", "'\(payment.productIdentifier)'", "'\(intent.productIdentifier)'")
        }
        guard payment.quantity == intent.quantity else {
            throw differs("quantity", "\(payment.quantity)", "\(intent.quantity)")
        }
        guard payment.paymentDiscount == intent.paymentDiscount else {
            throw differs(
                "paymentDiscount", payment.paymentDiscount.map { "'\($0.identifier)'" } ?? "none",
                intent.paymentDiscount.map { "'\($0.identifier)'" } ?? "none")
        }
    }

    /// Checks the offer that the app names. An app need not name the intent's, because the payment gets it anyway.
    /// - Throws: `intentMismatch`
    static func check(offer: String?, continues intent: String?) throws(StoreError) {
        guard let offer, intent?.isExactly(offer) != true else { return }
        let expected = intent.map { "'\($0)'" } ?? "none"
        throw StoreError(
            .intentMismatch, "the payment's offer is '\(offer)' and the intent's is \(expected)",
            details: ["member": .string("offer")])
    }

    /// Checks a payment for an intent that was continued before.
    /// - Throws: `intentDecided` for another key, `keyReused` for another payment under the same key.
    static func check(_ payment: Payment, repeats added: Payment?) throws(StoreError) {
        guard let added, added.requestIdentifier.isExactly(payment.requestIdentifier) else {
            throw StoreError(
                .intentDecided, "the intent was continued with another payment",
                details: ["state": .string(StorePurchaseIntent.State.continued.rawValue)])
        }
        guard added == payment else {
            throw StoreError(.keyReused, "the key was used with another payment of this intent")
        }
    }
}

extension AddPaymentRequest {
    /// The request as if the payment's key had not been stored with the decision (``PlantedBug/intentPaidTwice``).
    fileprivate var underNewKey: AddPaymentRequest {
        var request = self
        request.payment.requestIdentifier = RandomIdentifier.hex(digits: 24)
        request.isRepeat = nil
        return request
    }
}
