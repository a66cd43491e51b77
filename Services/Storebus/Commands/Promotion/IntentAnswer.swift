import StoreModels

/// Answers an intent in the place of the app it waits for.
struct IntentAnswer: Sendable {
    /// As the operator sees it.
    let intent: PurchaseIntent
    let context: CommandContext

    private var installation: Installation { intent.installation(context) }

    func said(
        _ decision: DecideIntentRequest.Decision, feedback: String? = nil
    ) async throws(CLIError) -> IntentOutcome {
        outcome(try await send(decision, feedback: feedback))
    }

    /// Until the payment has an outcome: saying it again asks, and never adds a second one.
    func continued(within time: Duration) async throws(CLIError) -> IntentOutcome {
        let deadline = ContinuousClock.now + time
        while true {
            let remaining = deadline - .now
            let decision = try await Patience.repeating(until: deadline) { () throws(CLIError) in
                try await send(.continue, timeout: max(remaining, .seconds(1)))
            }
            let isOver = decision.transaction.map { $0.transactionState != .purchasing } ?? false
            guard !isOver, deadline - .now > Patience.pause, !Task.isCancelled else { return outcome(decision) }
            try? await ContinuousClock().sleep(for: Patience.pause)
        }
    }

    private func send(
        _ decision: DecideIntentRequest.Decision, feedback: String? = nil, timeout: Duration = .seconds(10)
    ) async throws(CLIError) -> IntentDecision {
        try await context.sessions.with(installation) { session throws(CLIError) in
            try await context.api.decide(
                intent.intentIdentifier, decision, feedback: feedback, token: session.token, timeout: timeout)
        }
    }

    /// With whose it is, which an app is not told.
    private func outcome(_ decision: IntentDecision) -> IntentOutcome {
        var decided = decision.intent
        decided.bundleId = intent.bundleId
        decided.account = intent.account
        decided.deviceId = intent.deviceId
        return IntentOutcome(intent: decided, transaction: decision.transaction)
    }
}
