import StoreModels

/// Decides what an operator's word on one transaction comes to, without I/O, from what is stored of it (D2, D4).
enum OperatorPolicy {
    /// A word on a transaction.
    enum Word: String, CaseIterable, Sendable {
        /// A parent says yes.
        case approve
        /// A parent says no.
        case decline
        /// The operator has removed what interrupted the purchase.
        case resolve
    }

    /// What is stored of the transaction.
    struct Context: Hashable, Sendable {
        var state: TransactionState
        /// It is deferred, or was before it ended.
        var wasDeferred = false
        /// The question that is open about it.
        var openPrompt: Prompt.Kind?
        /// Another transaction has taken its place.
        var isSuperseded = false
    }

    enum Decision: Hashable, Sendable {
        /// The open prompt gets this answer.
        case answer(Prompt.Answer)
        /// An earlier word has decided; the reply waits for its outcome.
        case join
        /// As `join`, with the transaction that has taken this one's place.
        case joinSuccessor
        /// The word does not apply to the transaction.
        case refuse
    }

    static func decide(_ word: Word, _ context: Context) -> Decision {
        switch word {
        case .approve, .decline:
            if context.openPrompt == .askToBuy { return .answer(word == .approve ? .approve : .decline) }
            return context.wasDeferred ? .join : .refuse
        case .resolve:
            if context.openPrompt == .interrupted, context.state == .failed { return .answer(.approve) }
            return context.isSuperseded ? .joinSuccessor : .refuse
        }
    }
}
