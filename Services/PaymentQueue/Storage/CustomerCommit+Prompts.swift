import StoreModels

extension CustomerCommit {
    /// Asks the first of those who have to agree; the purchase stays as it is until the answer.
    ///
    /// - Parameters:
    ///   - kinds: who signs in, the shopper at the sheet, then a parent or what interrupts. None leaves the purchase alone.
    ///   - stored: is marked as awaiting an answer already.
    ///   - storefront: where the shopper is, when the app is asked about it.
    /// - Returns: the transaction as it is then: deferred when it is a parent who is asked, failed when it is interrupted.
    mutating func ask(
        _ kinds: [Prompt.Kind], about stored: StoredTransaction, in storefront: Storefront? = nil
    ) async throws -> StoredTransaction {
        guard let kind = kinds.first else { return stored }
        var next = stored
        switch kind {
        case .askToBuy: next = try await apply(.defer, to: stored)
        case .interrupted: next = try await apply(.fail(PaymentSheetPolicy.interrupted), to: stored, keepsQuote: true)
        case .storefrontChange:
            guard let storefront else { throw StorefrontMoved(to: account.storefront) }
            let change = StorefrontChange(storefront: storefront, answerBy: wall + PromptDesk.appAnswerTime)
            next = try await apply(.ask(change), to: stored)
        case .sheet, .signIn, .appPurchase, .priceConsent: break
        }
        try await PromptRepository.insert(kinds, about: next, wall: wall, in: transaction)
        return next
    }

    /// Takes an answer to a prompt that was removed in this commit.
    /// - Parameter storefront: where the shopper is, as Catalog has it; nil before Catalog was asked.
    /// - Returns: the transaction the answer is about: after an interruption that is resolved, the new one.
    /// - Throws: ``StorefrontMoved`` when it is needed and not given; nothing is written.
    mutating func take(
        _ answer: Prompt.Answer, error: SKErrorCode?, to prompt: StoredPrompt, about stored: StoredTransaction,
        in storefront: Storefront? = nil
    ) async throws -> StoredTransaction {
        switch prompt.purpose {
        case .purchase: break
        case .redelivery: return stored
        case .priceConsent:
            _ = try await consent(answer == .approve, about: prompt.transactionID)
            return stored
        }
        if prompt.kind == .interrupted { return answer == .approve ? try await resume(stored) : stored }
        if let failure = PaymentSheetPolicy.failure(of: answer, to: prompt.kind, error: error) {
            return try await apply(.fail(failure), to: stored)
        }
        var next = stored
        if prompt.kind == .storefrontChange {
            next.terms?.storefront = account.storefront
            next = try await apply(.goOn, to: next)
        } else if hasMoved(stored) {
            let known = storefront?.countryCode == account.storefront ? storefront : nil
            return try await ask([.storefrontChange] + prompt.nextKinds, about: stored, in: known)
        }
        if !prompt.nextKinds.isEmpty { return try await ask(prompt.nextKinds, about: next) }
        next.awaitsAnswer = false
        return try await TransactionRepository.setPhase(of: next, in: transaction) ? next : stored
    }

    /// Whether the shopper is in another storefront than when they agreed to the terms.
    private func hasMoved(_ stored: StoredTransaction) -> Bool {
        guard let agreed = stored.terms?.storefront else { return false }
        return !agreed.isExactly(account.storefront)
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

/// The shopper is in another storefront than the purchase began in, and only Catalog knows all of it.
struct StorefrontMoved: Error {
    let countryCode: String

    init(to countryCode: String) { self.countryCode = countryCode }
}
