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
        let result = try await withStorefront(until: last) { try await commit(action, request, in: $0) }
        switch result {
        case .answered(let written):
            try checkpoint(.afterAnswerCommit)
            let stored = try purchases.finish(written)
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
        /// The action was the first one. The value is the commit it has made.
        case answered(PurchaseService.Written)
        /// Another action was first. The value is the identifier of the transaction it is about.
        case joined(String)
    }

    /// Commits an operator's action, and deletes the prompt it answers.
    /// - Throws: `notFound`, or `transactionStateInvalid` for a transaction the action does not apply to.
    private func commit(
        _ action: OperatorPolicy.Action, _ request: OperateTransactionRequest, in storefront: Storefront? = nil
    ) async throws -> ActionResult {
        let found = try await database.read { reader in
            try await TransactionRepository.find(request.transaction, in: reader)
        }
        guard let known = found else { throw StoreError(.notFound, "no such transaction") }
        return try await database.write { transaction in
            var joined: String?
            let committed = try await CustomerTransaction.run(known.customer, in: transaction, clock: clock) { commit in
                guard
                    let stored = try await TransactionRepository.find(known.id, of: known.customer, in: transaction)
                else { throw StoreError(.notFound, "no such transaction") }
                let prompt = try await PromptRepository.find(
                    about: known.id, .purchase, known.customer, in: transaction)
                let successor = try await TransactionRepository.successor(
                    of: known.id, known.customer, in: transaction)
                let context = OperatorPolicy.Context(
                    state: stored.transaction.transactionState, wasDeferred: stored.wasDeferred,
                    openPrompt: prompt?.kind, isSuperseded: successor != nil)
                switch OperatorPolicy.decide(action, context) {
                case .answer(let answer):
                    guard let prompt, try await PromptRepository.remove(prompt.id, in: transaction) else {
                        throw StoreError(.internal, "the prompt of a locked customer went")
                    }
                    return try await commit.take(
                        answer, error: request.error, to: prompt, about: stored, in: storefront)
                case .join: joined = stored.id
                case .joinSuccessor: joined = successor?.id
                case .refuse: throw Self.refusal(of: action, stored)
                }
                return stored
            }
            if let joined { return .joined(joined) }
            try checkpoint(.insideAnswerCommit)
            return .answered(committed)
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
