import Persistence
import StoreModels

extension PurchaseStore {
    /// An answer that was taken.
    struct Answered: Sendable {
        var prompt: StoredPrompt
        var written: Written
        /// Of a prompt about one.
        var increase: PriceIncrease?
    }

    /// Takes a person's answer: the prompt goes and the purchase goes on, in one commit. The row's deletion is the
    /// arbiter, so exactly one answer counts.
    /// - Parameter storefront: as for ``CustomerTransaction/take(_:error:to:about:in:)``.
    /// - Throws: `notFound` for a prompt that was answered; `requestInvalid` for an answer this prompt does not have.
    func answer(_ request: AnswerPromptRequest, in storefront: Storefront? = nil) async throws -> Answered {
        try await database.write { transaction in
            guard let prompt = try await PromptRepository.find(request.id, in: transaction) else { throw Self.answered }
            let answers = prompt.answers
            guard answers.contains(request.answer) else {
                let names = answers.map(\.rawValue).joined(separator: " or ")
                throw StoreError(
                    .requestInvalid, "a prompt of kind \(prompt.kind.rawValue) is answered with \(names)",
                    details: ["path": .string("$.answer")])
            }
            let committed = try await CustomerTransaction.run(prompt.customer, in: transaction, clock: clock) {
                commit in
                guard try await PromptRepository.remove(prompt.id, in: transaction),
                    let stored = try await TransactionRepository.find(
                        prompt.transactionID, of: prompt.customer, in: transaction)
                else { throw Self.answered }
                return try await commit.take(
                    request.answer, error: request.error, to: prompt, about: stored, in: storefront)
            }
            try checkpoint(.insideAnswerCommit)
            return Answered(
                prompt: prompt, written: Written(committed),
                increase: try await Self.increase(prompt, in: transaction))
        }
    }

    private static let answered = StoreError(.notFound, "no such prompt; it may have been answered")

    /// What an operator's word has come to.
    enum Obeyed: Sendable {
        /// The word was the first one: this came of it so far.
        case answered(Written)
        /// Another answer came first; this is what comes, or has come, of it.
        case joined(String)
    }

    /// Takes an operator's word on a transaction; the prompt it answers goes in the same commit.
    /// - Throws: `notFound`; `transactionStateInvalid` for a transaction such a word is not about.
    func obey(
        _ word: OperatorPolicy.Word, _ request: OperateTransactionRequest, in storefront: Storefront? = nil
    ) async throws -> Obeyed {
        guard let known = try await find(spelled: request.id) else {
            throw StoreError(.notFound, "no such transaction")
        }
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
                let facts = OperatorPolicy.Facts(
                    state: stored.transaction.transactionState, wasDeferred: stored.wasDeferred,
                    openPrompt: prompt?.kind, isSuperseded: successor != nil)
                switch OperatorPolicy.decide(word, facts) {
                case .answer(let answer):
                    guard let prompt, try await PromptRepository.remove(prompt.id, in: transaction) else {
                        throw StoreError(.internal, "the prompt of a locked customer went")
                    }
                    return try await commit.take(
                        answer, error: request.error, to: prompt, about: stored, in: storefront)
                case .join: joined = stored.id
                case .joinSuccessor: joined = successor?.id
                case .refuse: throw Self.refusal(of: word, stored)
                }
                return stored
            }
            if let joined { return .joined(joined) }
            try checkpoint(.insideAnswerCommit)
            return .answered(Written(committed))
        }
    }

    private static func refusal(of word: OperatorPolicy.Word, _ stored: StoredTransaction) -> StoreError {
        let state = stored.transaction.transactionState.rawValue
        let demand = word == .resolve ? "interrupted" : "deferred"
        return StoreError(
            .transactionStateInvalid, "'\(word.rawValue)' is for \(demand) transactions; this one is \(state)",
            details: ["transactionState": .string(state)])
    }

    /// A purchase of a device, with what the app is asked about it.
    /// - Throws: `notFound`.
    func question(
        about request: TransactionRequest
    ) async throws -> (stored: StoredTransaction, prompt: StoredPrompt?) {
        let customer = request.customer
        return try await database.read { reader in
            guard
                let stored = try await TransactionRepository.find(spelled: request.id, of: customer, in: reader),
                stored.transaction.originDeviceId.isExactly(request.deviceId)
            else { throw StoreError(.notFound, "no such transaction") }
            let prompt = try await PromptRepository.find(about: stored.id, .purchase, customer, in: reader)
            return (stored, prompt?.kind == .storefrontChange ? prompt : nil)
        }
    }

    /// What apps were asked so long ago and have not answered.
    func questions(olderThan age: Duration, limit: Int) async throws -> [StoredPrompt] {
        let wall = clock.wall()
        return try await database.read { reader in
            try await PromptRepository.list(
                .storefrontChange, askedBy: Timestamp(milliseconds: wall.milliseconds - age.components.seconds * 1000),
                limit: limit, in: reader)
        }
    }

    /// Open prompts, oldest first, each with its transaction as it is now.
    func prompts(
        account: String?, after: String, limit: Int
    ) async throws -> [Prompt] {
        try await database.read { reader in
            var prompts: [Prompt] = []
            for prompt in try await PromptRepository.list(account: account, after: after, limit: limit, in: reader) {
                let stored = try await TransactionRepository.find(prompt.transactionID, of: prompt.customer, in: reader)
                prompts.append(
                    prompt.prompt(about: stored?.transaction, try await Self.increase(prompt, in: reader)))
            }
            return prompts
        }
    }

    private static func increase(_ prompt: StoredPrompt, in reader: SQLReader) async throws -> PriceIncrease? {
        guard prompt.purpose == .priceConsent else { return nil }
        return try await SubscriptionRepository.find(paidBy: prompt.transactionID, in: reader)?.priceIncrease
    }
}
