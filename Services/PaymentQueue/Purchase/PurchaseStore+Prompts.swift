import Persistence
import StoreModels

extension PurchaseStore {
    /// An answer that was taken.
    package struct Answered: Sendable {
        package var prompt: StoredPrompt
        package var written: Written
    }

    /// Takes a person's answer: the prompt goes and the purchase goes on, in one commit. The row's deletion is the
    /// arbiter, so exactly one answer counts.
    /// - Throws: `notFound` for a prompt that was answered; `requestInvalid` for an answer this prompt does not have.
    package func answer(_ request: AnswerPromptRequest) async throws -> Answered {
        try await database.write { transaction in
            guard let prompt = try await PromptRepository.find(request.id, in: transaction),
                let stored = try await TransactionRepository.find(prompt.transactionID, in: transaction)
            else { throw StoreError(.notFound, "no such prompt; it may have been answered") }
            let answers = PaymentSheetPolicy.answers(to: prompt.kind)
            guard answers.contains(request.answer) else {
                let names = answers.map(\.rawValue).joined(separator: " or ")
                throw StoreError(
                    .requestInvalid, "a prompt of kind \(prompt.kind.rawValue) is answered with \(names)",
                    details: ["path": .string("$.answer")])
            }
            guard try await PromptRepository.remove(prompt.id, in: transaction) else {
                throw StoreError(.notFound, "the prompt was answered")
            }
            var commit = try await PurchaseCommit(transaction, customer: stored.customer, clock: clock)
            let next = try await commit.take(request.answer, error: request.error, to: prompt, about: stored)
            try checkpoint(.insideAnswerCommit)
            return Answered(
                prompt: prompt, written: Written(stored: next, changes: commit.changes, woken: commit.woken))
        }
    }

    /// Open prompts, oldest first, each with its transaction as it is now.
    package func prompts(
        account: String?, after: String, limit: Int
    ) async throws -> [Prompt] {
        try await database.read { reader in
            var prompts: [Prompt] = []
            for prompt in try await PromptRepository.list(account: account, after: after, limit: limit, in: reader) {
                let stored = try await TransactionRepository.find(prompt.transactionID, in: reader)
                prompts.append(prompt.prompt(about: stored?.transaction))
            }
            return prompts
        }
    }
}
