import Persistence
import StoreModels

/// Handles `transaction.approve`, `.decline` and `.resolve`: an operator's or a parent's action on one transaction.
extension PromptService {
    /// Applies an action to a transaction. Later or repeated actions get the outcome of the first (D2).
    /// - Throws: `notFound`, `transactionStateInvalid` for a transaction the action does not apply to, or
    ///   `requestInvalid`.
    func apply(
        _ action: OperatorPolicy.Action, _ request: OperateTransactionRequest, deadline: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        try Self.check(request.error, isDecline: action == .decline)
        let last = deadline - PurchaseService.replyMargin
        let result = try await withStorefront(until: last) { storefront in
            try await commit(action, request, in: storefront, until: deadline)
        }
        switch result.output {
        case .answered(let written):
            try checkpoint(.afterAnswerCommit)
            let stored = try purchases.finish(result.with(written))
            return try await outcome(of: stored.id, fresh: stored, until: last)
        case .joined(let id): return try await outcome(of: id, until: last)
        }
    }

    /// Waits for the transaction's end. At the deadline it returns the transaction as it is.
    private func outcome(
        of id: String, fresh: StoredTransaction? = nil, until last: ContinuousClock.Instant
    ) async throws -> PaymentTransaction {
        guard let stored = try await purchases.outcome(of: id, fresh: fresh, until: last) else {
            throw StoreError(.notFound, "the transaction was removed")
        }
        return stored.transaction
    }

    /// The result of an action.
    private enum ActionResult: Sendable {
        /// The action was the first one. The value is the transaction after it.
        case answered(StoredTransaction)
        /// Another action was first. The value is the identifier of the transaction it is about.
        case joined(String)
    }

    /// Commits an operator's action, and deletes the prompt it answers.
    /// - Throws: `notFound`, or `transactionStateInvalid` for a transaction the action does not apply to.
    private func commit(
        _ action: OperatorPolicy.Action, _ request: OperateTransactionRequest, in storefront: Storefront?,
        until deadline: ContinuousClock.Instant
    ) async throws -> CustomerCommits.Committed<ActionResult> {
        let known = try await transaction(request.transaction)
        let (id, customer) = (known.id, known.customer)
        let openPrompt = PromptRepository.find(about: id, .purchase, customer)
        let successors = TransactionRepository.successor(of: id, customer)
        return try await commits.commit(
            customer, asking: [TransactionRepository.find(id, of: customer).key, openPrompt.key, successors.key],
            reaching: .insideAnswerCommit, until: deadline
        ) { state -> ActionResult in
            let stored = try state.existing(id)
            let (prompt, successor) = (try state.read(openPrompt), try state.read(successors))
            let context = OperatorPolicy.Context(
                state: stored.transaction.transactionState, wasDeferred: stored.wasDeferred,
                openPrompt: prompt?.kind, isSuperseded: successor != nil)
            switch (OperatorPolicy.decide(action, context), prompt, successor) {
            case (.answer(let answer), let prompt?, _):
                return .answered(
                    try state.take(answer, error: request.error, to: prompt, about: stored, in: storefront))
            case (.joinSuccessor, _, let successor?): return .joined(successor.id)
            case (.join, _, _): return .joined(stored.id)
            case (.refuse, _, _), (.answer, nil, _), (.joinSuccessor, _, nil): throw Self.refusal(of: action, stored)
            }
        }
    }

    private static func refusal(of action: OperatorPolicy.Action, _ stored: StoredTransaction) -> StoreError {
        let state = stored.transaction.transactionState.rawValue
        let demand = action == .resolve ? "interrupted" : "deferred"
        return StoreError(
            .transactionStateInvalid, "'\(action.rawValue)' is for \(demand) transactions; this one is \(state)",
            details: ["transactionState": .string(state)])
    }
}

/// Decides the effect of an operator's action on a transaction, without I/O (D2, D4).
enum OperatorPolicy {
    /// An operator's action on a transaction.
    enum Action: String, CaseIterable, Sendable {
        /// A parent approves the purchase.
        case approve
        /// A parent refuses the purchase.
        case decline
        /// The operator has removed the cause of the interruption.
        case resolve
    }

    /// The stored state of the transaction.
    struct Context: Hashable, Sendable {
        var state: TransactionState
        /// Whether it is or was deferred.
        var wasDeferred = false
        /// The open prompt about it, if any.
        var openPrompt: Prompt.Kind?
        /// Whether another transaction has replaced it.
        var isSuperseded = false
    }

    enum Decision: Hashable, Sendable {
        /// The open prompt gets this answer.
        case answer(Prompt.Answer)
        /// An earlier action has decided, and the reply waits for its outcome.
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
