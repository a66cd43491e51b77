import StoreModels

extension StoredSubscription {
    /// The subscription as receipts list it: its row, without what only the catalogue knows.
    var wire: Subscription {
        Subscription(
            originalTransactionIdentifier: originalIdentifier, subscriptionGroupIdentifier: paidGroup,
            productIdentifier: product, state: state, willAutoRenew: willAutoRenew,
            autoRenewProductIdentifier: renewProduct, purchaseDate: period.start, expiresDate: period.end,
            gracePeriodExpiresDate: graceUntil, priceIncrease: priceIncrease,
            expirationReason: expirationReason, offer: offer?.applied,
            transactionIdentifier: period.transactionIdentifier, id: period.transactionID, period: period.index)
    }
}
