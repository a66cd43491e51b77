import StoreModels

/// Decides the effect of an operator's action on a transaction, without I/O (D2, D4).
enum OperatorPolicy {
    /// An operator's action on a transaction.
    enum Action: String, CaseIterable, Sendable {
        /// A parent approves the purchase.
        case approve
        /// A parent refuses the purchase.
        case decline
        /// The operator has removed what interrupted the purchase.
        case resolve
    }

    /// The stored state of the transaction.
    struct Context: Hashable, Sendable {
        var state: TransactionState
        /// Whether it is or was deferred.
        var wasDeferred = false
        /// The open prompt about it; nil for none.
        var openPrompt: Prompt.Kind?
        /// Whether another transaction has replaced it.
        var isSuperseded = false
    }

    enum Decision: Hashable, Sendable {
        /// The open prompt gets this answer.
        case answer(Prompt.Answer)
        /// An earlier action has decided; the reply waits for its outcome.
        case join
        /// An earlier action has decided about the transaction that has replaced this one.
        case joinSuccessor
        /// The action does not apply to the transaction.
        case refuse
    }

    static func decide(_ action: Action, _ context: Context) -> Decision {
        switch action {
        case .approve, .decline:
            if context.openPrompt == .askToBuy { return .answer(action == .approve ? .approve : .decline) }
            return context.wasDeferred ? .join : .refuse
        case .resolve:
            if context.openPrompt == .interrupted, context.state == .failed { return .answer(.approve) }
            return context.isSuperseded ? .joinSuccessor : .refuse
        }
    }
}
