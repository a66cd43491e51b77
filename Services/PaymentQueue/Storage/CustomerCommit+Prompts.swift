import StoreModels

extension CustomerCommit {
    /// Asks the first of those who have to agree; the purchase stays as it is until the answer.
    ///
    /// - Parameters:
    ///   - kinds: at most two: the shopper at the sheet, then a parent, or what interrupts. None leaves the purchase alone.
    ///   - stored: is marked as awaiting an answer already.
    /// - Returns: the transaction as it is then: deferred when it is a parent who is asked, failed when it is interrupted.
    mutating func ask(_ kinds: [Prompt.Kind], about stored: StoredTransaction) async throws -> StoredTransaction {
        guard let kind = kinds.first else { return stored }
        let next =
            switch kind {
            case .askToBuy: try await apply(.defer, to: stored)
            case .interrupted: try await apply(.fail(PaymentSheetPolicy.interrupted), to: stored, keepsQuote: true)
            case .sheet, .signIn, .appPurchase: stored
            }
        try await PromptRepository.insert(kind, then: kinds.dropFirst().first, about: next, wall: wall, in: transaction)
        return next
    }

    /// Takes an answer to a prompt that was removed in this commit.
    /// - Returns: the transaction the answer is about: after an interruption that is resolved, the new one.
    mutating func take(
        _ answer: Prompt.Answer, error: SKErrorCode?, to prompt: StoredPrompt, about stored: StoredTransaction
    ) async throws -> StoredTransaction {
        if prompt.kind == .interrupted { return answer == .approve ? try await resume(stored) : stored }
        if let failure = PaymentSheetPolicy.failure(of: answer, to: prompt.kind, error: error) {
            return try await apply(.fail(failure), to: stored)
        }
        if let nextKind = prompt.nextKind { return try await ask([nextKind], about: stored) }
        var next = stored
        next.awaitsAnswer = false
        return try await TransactionRepository.setPhase(of: next, in: transaction) ? next : stored
    }

    /// Begins the purchase that takes an interrupted one's place: the same payment at the price it was quoted, on the same
    /// device. The unique index on `supersedes` lets there be one.
    private mutating func resume(_ stored: StoredTransaction) async throws -> StoredTransaction {
        guard let quote = stored.quote else { throw StoreError(.internal, "an interrupted purchase without a quote") }
        var random = SystemRandomNumberGenerator()
        let purchase = NewPurchase(
            id: Identifiers.transaction(wall: wall, random: &random), payment: stored.transaction.payment,
            deviceId: stored.transaction.originDeviceId, quote: quote, request: stored.request, supersedes: stored.id)
        let plan = try await plan(purchase.payment, purchase.request, quote: quote, isResumed: true)
        return try await begin(purchase, plan)
    }
}
