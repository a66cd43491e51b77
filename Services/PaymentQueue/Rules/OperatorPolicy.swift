import StoreModels

/// Decides what an operator's word on one transaction comes to, without I/O, from what is stored of it (D2, D4).
package enum OperatorPolicy {
    /// A word on a transaction.
    package enum Word: String, CaseIterable, Sendable {
        /// A parent says yes.
        case approve
        /// A parent says no.
        case decline
        /// Whatever interrupted the purchase is out of the way.
        case resolve
    }

    /// What is stored of the transaction.
    package struct Facts: Hashable, Sendable {
        package var state: TransactionState
        /// It is deferred, or was before it ended.
        package var wasDeferred: Bool
        /// The question that is open about it.
        package var openPrompt: Prompt.Kind?
        /// Another transaction has taken its place.
        package var isSuperseded: Bool

        package init(
            state: TransactionState, wasDeferred: Bool = false, openPrompt: Prompt.Kind? = nil,
            isSuperseded: Bool = false
        ) {
            self.state = state
            self.wasDeferred = wasDeferred
            self.openPrompt = openPrompt
            self.isSuperseded = isSuperseded
        }
    }

    package enum Decision: Hashable, Sendable {
        /// The open prompt gets this answer.
        case answer(Prompt.Answer)
        /// Somebody was first; what they have set going is waited for and answered.
        case join
        /// As `join`, with the transaction that has taken this one's place.
        case joinSuccessor
        /// The transaction is not one such a word is about.
        case refuse
    }

    package static func decide(_ word: Word, _ facts: Facts) -> Decision {
        switch word {
        case .approve, .decline:
            if facts.openPrompt == .askToBuy { return .answer(word == .approve ? .approve : .decline) }
            return facts.wasDeferred ? .join : .refuse
        case .resolve:
            if facts.openPrompt == .interrupted, facts.state == .failed { return .answer(.approve) }
            return facts.isSuperseded ? .joinSuccessor : .refuse
        }
    }
}
