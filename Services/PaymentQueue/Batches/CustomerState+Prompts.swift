import ServiceDatabase
import StoreModels

extension CustomerState {
    /// Creates a prompt.
    /// - Parameters:
    ///   - kinds: Its kind, and those that follow it one after the other. Without any, nothing is written.
    ///   - times: How often it was shown, including this time.
    mutating func prompt(
        _ kinds: [Prompt.Kind], _ purpose: StoredPrompt.Purpose = .purchase, about stored: StoredTransaction,
        times: Int = 1
    ) throws {
        guard !kinds.isEmpty else { return }
        let id = try next(.prompt)
        write(PromptRepository.insert(kinds, purpose, about: stored, times: times, id: id, now: now, wall: wall))
    }

    /// Creates a prompt for the first person who has to agree. The purchase stays as it is until the answer.
    /// - Parameters:
    ///   - kinds: Sign-in, the shopper at the sheet, then a parent or the interruption. If it is empty, the purchase is
    ///     unchanged.
    ///   - stored: The purchase, already marked as awaiting an answer.
    ///   - storefront: The shopper's storefront, when the app is asked about it.
    /// - Returns: The transaction after it: deferred when a parent is asked, failed when it is interrupted.
    /// - Throws: ``StorefrontMoved`` when the storefront is needed and not given. Then nothing is written.
    mutating func ask(
        _ kinds: [Prompt.Kind], about stored: StoredTransaction, in storefront: Storefront? = nil
    ) throws -> StoredTransaction {
        guard let kind = kinds.first else { return stored }
        var next = stored
        switch kind {
        case .askToBuy: next = try apply(.defer, to: stored)
        case .interrupted: next = try apply(.fail(PaymentSheetPolicy.interrupted), to: stored, keepsQuote: true)
        case .storefrontChange:
            guard let storefront else { throw StorefrontMoved(to: account.storefront) }
            let change = StorefrontChange(storefront: storefront, answerBy: wall + PromptService.appAnswerTime)
            next = try apply(.ask(change), to: stored)
        case .sheet, .signIn, .appPurchase, .priceConsent: break
        }
        try prompt(kinds, about: next)
        return next
    }

    /// Removes a prompt and applies its answer.
    /// - Parameter storefront: The shopper's storefront, as Catalog has it, or nil before Catalog was asked.
    /// - Returns: The transaction the answer is about, or the new one after a resolved interruption.
    /// - Throws: ``StorefrontMoved`` when the storefront is needed and not given. Then nothing is written.
    mutating func take(
        _ answer: Prompt.Answer, error: SKErrorCode?, to prompt: StoredPrompt, about stored: StoredTransaction,
        in storefront: Storefront? = nil
    ) throws -> StoredTransaction {
        write(PromptRepository.remove(prompt.id, customer))
        switch prompt.purpose {
        case .purchase: break
        case .redelivery: return stored
        case .priceConsent:
            _ = try consent(answer == .approve, about: prompt.transactionID)
            return stored
        }
        if prompt.kind == .interrupted {
            // The answer ends the payment that was interrupted.
            let ended = try stored.leavesNothing(keepsQuote: false) ? leave(stored) : stored
            return answer == .approve ? try resume(ended) : ended
        }
        if let failure = PaymentSheetPolicy.failure(of: answer, to: prompt.kind, error: error) {
            return try apply(.fail(failure), to: stored)
        }
        var next = stored
        if prompt.kind == .storefrontChange {
            if stored.transaction.payment.billingPlanType == .monthly,
                PurchasePolicy.isWithoutMonthly(account.storefront)
            {
                return try apply(.fail(PurchasePolicy.noMonthlyPlan(in: account.storefront)), to: stored)
            }
            next = try apply(.continuePurchase, to: stored, agreedIn: account.storefront)
        } else if hasMoved(stored) {
            let known = storefront?.countryCode == account.storefront ? storefront : nil
            return try ask([.storefrontChange] + prompt.nextKinds, about: stored, in: known)
        }
        if !prompt.nextKinds.isEmpty { return try ask(prompt.nextKinds, about: next) }
        next.awaitsAnswer = false
        write(TransactionRepository.setPhase(of: next), leaving: next)
        return next
    }

    /// Tells whether the shopper's storefront has changed since they agreed to the terms.
    private func hasMoved(_ stored: StoredTransaction) -> Bool {
        guard let agreed = stored.terms?.storefront else { return false }
        return !agreed.isExactly(account.storefront)
    }

    /// Begins the purchase that replaces an interrupted one, with its payment, quote and device.
    ///
    /// The unique index on `supersedes` allows one.
    private mutating func resume(_ stored: StoredTransaction) throws -> StoredTransaction {
        guard let quote = stored.quote else { throw StoreError(.internal, "an interrupted purchase without a quote") }
        var random = SystemRandomNumberGenerator()
        let purchase = NewPurchase(
            id: Identifiers.transaction(wall: wall, random: &random), payment: stored.transaction.payment,
            deviceId: stored.transaction.originDeviceId, quote: quote, request: stored.request, supersedes: stored.id)
        let plan = try plan(purchase.payment, purchase.request, quote: quote, isResumed: true)
        return try begin(purchase, plan)
    }
}

/// Thrown when the shopper's storefront has changed. Only Catalog has the details of the new one.
struct StorefrontMoved: Error {
    /// The shopper's storefront: an alpha-3 country code.
    let countryCode: String

    init(to countryCode: String) { self.countryCode = countryCode }
}
