internal import StoreHTTP
internal import StoreModels

extension QueueCore {
    private struct DecisionReply: JSONForm, Decodable {
        typealias Body = IntentDecisionResponse

        struct Intent: Decodable, Sendable {
            let state: StorePurchaseIntent.State
        }
        struct Named: Decodable, Sendable {
            let id: String
        }

        let intent: Intent
        let transaction: Named?
    }

    func cancel(_ intent: String, feedback: String?, _ completion: (@Sendable ((any Error)?) -> Void)?) {
        var decision = IntentDecision(intentIdentifier: intent, decision: .cancel, feedback: feedback)
        if let completion {
            decision.completion = { [callbacks] error in callbacks.async { completion(error) } }
        }
        decide(decision)
    }

    /// Sends the app's decision, and repeats it until the store has responded.
    ///
    /// Continuing adds the payment to the queue immediately, so `.purchasing` is the first callback, as with any
    /// payment (M37). The same decision twice counts once.
    func decide(_ decision: IntentDecision) {
        let (isTaken, next) = state.withLock { state -> (Bool, IntentDecision?) in
            guard state.intents.unansweredCount < ClientLimits.intentsMax,
                state.table.unnamedCount < ClientLimits.paymentsMax
            else { return (false, nil) }
            var decision = decision
            if let payment = decision.payment, state.intents.addsPayment(decision.intentIdentifier) {
                decision.hasAddedPayment = true
                tell(state.table.add(payment), in: &state)
            }
            return (true, state.intents.decide(decision))
        }
        if let next { send(next) }
        guard !isTaken else { return }
        end(decision, Self.failure("Too many decisions and payments are waiting to be answered; nothing was charged."))
    }

    private func send(_ decision: IntentDecision) {
        let request = HTTPCall(
            IntentRoutes.decide, [.id: decision.intentIdentifier],
            body: DecisionRequest(decision: decision.decision, feedback: decision.feedback))
        tasks.run { [weak self, call] in
            let failure: SKError?
            do {
                let response = try await call.send(request)
                let reply = try response.body(of: IntentRoutes.decide, as: DecisionReply.self)
                failure = self?.accept(reply, to: decision)
            } catch {
                failure = SKError(cause: error)
            }
            // A caller of `purchase()` may still wait although the queue was deallocated.
            guard let self else { return decision.completion?(failure) ?? () }
            end(decision, failure)
            let next = state.withLock { $0.intents.answered(decision.intentIdentifier) }
            if let next { send(next) }
        }
    }

    /// - Returns: The error if the store did not continue the purchase, or nil otherwise.
    private func accept(_ reply: DecisionReply, to decision: IntentDecision) -> SKError? {
        guard let payment = decision.payment else { return nil }
        guard reply.intent.state == .continued else {
            return Self.failure("The purchase was not taken; it is \(reply.intent.state.rawValue).")
        }
        // Without a transaction yet, the stream identifies it by the payment's key.
        if decision.hasAddedPayment, let transaction = reply.transaction {
            state.withLock { $0.table.name(key: payment.requestIdentifier, id: transaction.id) }
        }
        return nil
    }

    private func end(_ decision: IntentDecision, _ failure: SKError?) {
        if let failure, decision.hasAddedPayment, let payment = decision.payment {
            refuse(payment.requestIdentifier, failure)
        }
        if let failure, decision.completion == nil {
            connection.log?(
                "the store did not take a decision to \(decision.decision.rawValue): "
                    + "\((failure.underlying as? StoreProblem)?.code ?? "not reached")")
        }
        decision.completion?(failure)
    }

    private static func failure(_ sentence: String) -> SKError {
        SKError(.unknown, userInfo: [NSLocalizedDescriptionKey: sentence])
    }
}

/// The app's decision about a purchase intent.
struct IntentDecision: Sendable {
    let intentIdentifier: String
    let decision: DecideIntentRequest.Decision
    /// The message shown to the user, with `cancel`.
    var feedback: String?
    /// The payment to add to the queue, with `continue`.
    var payment: Payment?
    /// Whether this decision added the payment to the queue. A repeated one does not.
    var hasAddedPayment = false
    /// Called once, with the reason of a refusal, else nil.
    var completion: (@Sendable ((any Error)?) -> Void)?
}

extension IntentDecision {
    /// Returns the intent's payment, with the intent's identifier.
    static func payment(of intent: StorePurchaseIntent) -> Payment {
        var payment = intent.payment
        payment.intentIdentifier = intent.intentIdentifier
        return payment
    }
}
