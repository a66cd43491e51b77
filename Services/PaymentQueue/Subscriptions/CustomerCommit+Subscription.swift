import StoreModels

extension CustomerCommit {
    /// Begins or goes on with the subscription a purchased transaction gives.
    func subscribe(_ value: PaymentTransaction, _ terms: PurchaseTerms) async throws {
        guard let bought = terms.subscription, let identifier = value.transactionIdentifier,
            let start = value.transactionDate, let end = value.expiresDate
        else { return }
        let known = try await SubscriptionRepository.find(group: bought.group, of: customer, in: transaction)
        var next =
            known
            ?? StoredSubscription(
                customer: customer, group: bought.group, originalID: value.id, originalIdentifier: identifier,
                revision: 1, state: .subscribed, product: value.payment.productIdentifier, level: bought.level,
                length: bought.length, periodIndex: -1, periodStart: start, activeUntil: end, activeID: value.id,
                activeTransaction: identifier, anchor: start, anchorCount: 0, willAutoRenew: true,
                renewProduct: value.payment.productIdentifier, rate: bought.rate, renewals: 0, failsNext: false,
                retryCount: 0)
        (next.state, next.product, next.level, next.length) = (
            .subscribed, value.payment.productIdentifier, bought.level, bought.length
        )
        (next.periodIndex, next.periodStart, next.activeUntil) = (next.periodIndex + 1, start, end)
        (next.activeID, next.activeTransaction, next.renewProduct) = (value.id, identifier, next.product)
        (next.anchor, next.anchorCount, next.willAutoRenew, next.dueAt) = (end, 0, true, end)
        guard known != nil else { return try await SubscriptionRepository.insert(next, in: transaction) }
        guard try await SubscriptionRepository.update(next, in: transaction) != nil else {
            throw StoreError(.internal, "a subscription was changed outside its customer's lock")
        }
    }
}
