import ServiceDatabase
import StoreModels

extension CustomerTransaction {
    /// Writes a paid period: its purchased transaction, in the queue of all devices, and the subscription's next state.
    mutating func renew(
        _ known: StoredSubscription, _ attempt: RenewalAttempt
    ) async throws -> (StoredSubscription, PaymentTransaction) {
        guard
            let original = try await TransactionRepository.find(known.originalID, of: customer, in: transaction)?
                .transaction
        else { throw StoreError(.internal, "a subscription without its first transaction") }
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.transaction(wall: wall, random: &random)
        let identifier =
            if let taken = attempt.identifier { taken } else {
                try await TransactionRepository.nextIdentifier(of: customer.bundleId, in: transaction)
            }
        var machine = SubscriptionStateMachine(known, at: attempt.at)
        try await releaseWaiting(after: known)
        let actions = try machine.handle(.charged(try attempt.renewal(id: id, identifier: identifier)))
        let value = PaymentTransaction(
            id: id, identifier: identifier, attempt: attempt, of: machine.value, original: original)
        let body = try StoredJSON.text(value)
        let seq = try journal(.updated, value, event: .purchased, body: body)
        let stored = StoredTransaction(
            customer: customer, transaction: value, phase: .settled, createdSeq: seq, historySeq: seq,
            modifiedSeq: nextModifiedSeq(), terms: attempt.terms, chargeKey: attempt.chargeKey)
        try await TransactionRepository.insert(stored, body: body, in: transaction)
        return (try await write(machine.value, actions, about: stored, before: known), value)
    }

    /// Reads the customer's waiting purchases, which may wait for a renewal that has ended.
    func waiting() async throws -> [String] {
        try await SubscriptionRepository.waitingPurchases(of: customer, in: transaction)
    }
}

extension PaymentTransaction {
    /// Makes a renewal's transaction: purchased at revision 1, with the subscription's first one as its original.
    fileprivate init(
        id: String, identifier: String, attempt: RenewalAttempt, of value: StoredSubscription,
        original: PaymentTransaction
    ) {
        // Equal in isolated stores of equal seeds, which the charge's key is not.
        let payment = Payment(
            requestIdentifier: "renew:\(original.transactionIdentifier ?? original.id):\(attempt.period)",
            productIdentifier: attempt.product,
            applicationUsername: original.payment.applicationUsername,
            appAccountToken: original.payment.appAccountToken)
        self.init(
            id: id, transactionIdentifier: identifier, transactionState: .purchased, transactionDate: attempt.at,
            payment: payment, revision: 1, originDeviceId: original.originDeviceId, price: attempt.terms.amount)
        self.original = OriginalTransaction(original)
        originalTransactionIdentifier = original.transactionIdentifier
        expiresDate = value.period.end
        isTrialPeriod = attempt.terms.flags.isTrialPeriod
        isInIntroOfferPeriod = attempt.terms.flags.isInIntroOfferPeriod
        subscriptionGroupIdentifier = value.paidGroup
        offer = attempt.terms.offer
    }
}

/// Creates and answers prompts about a subscription's higher price.
extension CustomerTransaction {
    /// Asks whether the subscription continues, with at most one prompt about its latest transaction.
    func askConsent(about transactionID: String) async throws {
        guard
            try await PromptRepository.find(about: transactionID, .priceConsent, customer, in: transaction) == nil,
            let stored = try await TransactionRepository.find(transactionID, of: customer, in: transaction)
        else { return }
        try await PromptRepository.insert([.priceConsent], .priceConsent, about: stored, wall: wall, in: transaction)
    }

    /// Shows the app's price consent prompt, or withdraws it.
    func show(_ isShown: Bool, consentOf originalID: String) async throws {
        let known = try await SubscriptionRepository.lock(originalID: originalID, of: customer, in: transaction)
        guard let known, known.priceIncrease?.status == .pending else { return }
        if isShown {
            try await askConsent(about: known.period.transactionID)
        } else {
            try await PromptRepository.withdraw(
                about: known.period.transactionID, .priceConsent, customer, in: transaction)
        }
    }

    /// Applies the shopper's answer to a price increase.
    /// - Returns: The increase after the answer, or nil when the subscription has none any more.
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
