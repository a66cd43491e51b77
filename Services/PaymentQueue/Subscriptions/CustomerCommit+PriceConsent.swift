import StoreModels

/// Prompts about a subscription's higher price.
extension CustomerCommit {
    /// Asks a person whether the subscription goes on; one prompt at a time is about its latest transaction.
    func askConsent(about transactionID: String) async throws {
        guard
            try await PromptRepository.find(about: transactionID, .priceConsent, customer, in: transaction) == nil,
            let stored = try await TransactionRepository.find(transactionID, of: customer, in: transaction)
        else { return }
        try await PromptRepository.insert([.priceConsent], .priceConsent, about: stored, wall: wall, in: transaction)
    }

    /// The app has the person asked, or puts it off.
    func show(_ isShown: Bool, consentOf originalID: String) async throws {
        let known = try await SubscriptionRepository.lock(originalID: originalID, of: customer, in: transaction)
        guard let known, known.priceIncrease?.status == .pending else { return }
        if isShown {
            try await askConsent(about: known.activeID)
        } else {
            try await PromptRepository.withdraw(about: known.activeID, .priceConsent, customer, in: transaction)
        }
    }

    /// Takes the person's answer.
    /// - Returns: the increase as it is then; nil when there is none any more.
    /// - Throws: `serviceUnavailable` while a renewal is being charged.
    mutating func consent(_ agrees: Bool, about transactionID: String) async throws -> PriceIncrease? {
        guard let paid = try await SubscriptionPeriodRepository.find(transactionID: transactionID, in: transaction),
            let known = try await SubscriptionRepository.lock(
                originalID: paid.originalID, of: customer, in: transaction)
        else { return nil }
        try known.requireUnclaimed()
        return try await apply(.priceAnswered(agrees: agrees), to: known, at: now).priceIncrease
    }
}
