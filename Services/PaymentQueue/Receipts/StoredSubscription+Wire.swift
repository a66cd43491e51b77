import StoreModels

extension StoredSubscription {
    /// The subscription as receipts list it: its row, without what only the catalogue knows.
    var wire: Subscription {
        Subscription(
            originalTransactionIdentifier: originalIdentifier, subscriptionGroupIdentifier: paidGroup,
            productIdentifier: product, state: state, willAutoRenew: willAutoRenew,
            autoRenewProductIdentifier: renewProduct, purchaseDate: periodStart, expiresDate: activeUntil,
            gracePeriodExpiresDate: graceUntil, priceIncrease: priceIncrease,
            expirationReason: expirationReason, offer: offer?.applied,
            transactionIdentifier: activeTransaction, id: activeID, period: periodIndex)
    }
}
