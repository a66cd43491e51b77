import ServiceDatabase
import StoreModels

extension CustomerState {
    /// Writes a paid period: its purchased transaction, in the queue of all devices, and the subscription's next state.
    mutating func renew(
        _ known: StoredSubscription, _ attempt: RenewalAttempt
    ) throws -> (StoredSubscription, PaymentTransaction) {
        guard let original = try transaction(known.originalID)?.transaction else {
            throw StoreError(.internal, "a subscription without its first transaction")
        }
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.transaction(wall: wall, random: &random)
        let identifier = if let taken = attempt.identifier { taken } else { try nextIdentifier() }
        var machine = SubscriptionStateMachine(known, at: attempt.at)
        let actions = try machine.handle(.charged(try attempt.renewal(id: id, identifier: identifier)))
        let value = PaymentTransaction(
            id: id, identifier: identifier, attempt: attempt, of: machine.value, original: original)
        let body = try StoredJSON.text(value)
        let seq = try journal(.updated, value, event: .purchased, at: attempt.at, body: body)
        let stored = StoredTransaction(
            customer: customer, transaction: value, phase: .settled, createdSeq: seq, historySeq: seq,
            modifiedSeq: nextModifiedSeq(), terms: attempt.terms, chargeKey: attempt.chargeKey)
        write(try TransactionRepository.insert(stored, body: body), leaving: stored)
        return (try write(machine.value, actions, about: stored, before: known), value)
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
        commitment = value.plan?.commitment
    }
}

/// Creates and answers prompts about a subscription's higher price.
extension CustomerState {
    /// Asks whether the subscription continues, with at most one prompt about its latest transaction.
    /// - Parameter isAnew: Whether there is certainly no such prompt.
    mutating func askConsent(about transactionID: String, isAnew: Bool = false) throws {
        if !isAnew, try read(PromptRepository.find(about: transactionID, .priceConsent, customer)) != nil { return }
        guard let stored = try transaction(transactionID) else { return }
        try prompt([.priceConsent], .priceConsent, about: stored)
    }

    /// Shows the app's price consent prompt, or withdraws it.
    mutating func show(_ isShown: Bool, consentOf originalID: String) throws {
        guard let known = try subscription(originalID: originalID), known.priceIncrease?.status == .pending else {
            return
        }
        guard isShown else {
            return write(PromptRepository.withdraw(about: known.period.transactionID, .priceConsent, customer))
        }
        try askConsent(about: known.period.transactionID)
    }

    /// Applies the shopper's answer to a price increase.
    /// - Returns: The increase after the answer, or nil when the subscription has none any more.
    /// - Throws: `serviceUnavailable` while a renewal is being charged.
    mutating func consent(_ agrees: Bool, about transactionID: String) throws -> PriceIncrease? {
        guard let paid = try period(paidBy: transactionID),
            let known = try subscription(originalID: paid.originalID)
        else { return nil }
        try known.requireUnclaimed()
        return try apply(.priceAnswered(agrees: agrees), to: known, at: now).priceIncrease
    }
}
