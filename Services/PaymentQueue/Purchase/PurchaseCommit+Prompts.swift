import StoreModels

extension PurchaseCommit {
    /// Asks the first of those who have to agree; the purchase stays as it is until the answer.
    ///
    /// - Parameters:
    ///   - kinds: at most two: the shopper at the sheet, then a parent. None leaves the purchase alone.
    ///   - stored: is marked as awaiting an answer already.
    /// - Returns: the transaction as it is then: deferred when it is a parent who is asked.
    mutating func ask(_ kinds: [Prompt.Kind], about stored: StoredTransaction) async throws -> StoredTransaction {
        guard let kind = kinds.first else { return stored }
        let next = kind == .askToBuy ? try await apply(.defer, to: stored) : stored
        try await PromptRepository.insert(kind, then: kinds.dropFirst().first, about: next, wall: wall, in: transaction)
        return next
    }

    /// Takes an answer to a prompt that was removed in this commit.
    mutating func take(
        _ answer: Prompt.Answer, error: SKErrorCode?, to prompt: StoredPrompt, about stored: StoredTransaction
    ) async throws -> StoredTransaction {
        if let failure = PaymentSheetPolicy.failure(of: answer, to: prompt.kind, error: error) {
            return try await apply(.fail(failure), to: stored)
        }
        if let nextKind = prompt.nextKind { return try await ask([nextKind], about: stored) }
        var next = stored
        next.awaitsAnswer = false
        let state = stored.transaction.transactionState
        return try await TransactionRepository.advance(next, from: state, in: transaction) ? next : stored
    }
}
