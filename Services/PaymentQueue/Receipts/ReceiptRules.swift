import StoreModels

/// Decides what a customer's receipt lists, without I/O.
enum ReceiptRules {
    /// Makes the receipt's item of a transaction.
    /// - Returns: Nil for what no receipt lists: a transaction that is not purchased, a change that was only noted, and
    ///   a finished consumable.
    static func item(_ stored: StoredTransaction) -> ReceiptItem? {
        let value = stored.transaction
        guard value.transactionState == .purchased, let terms = stored.terms, terms.change?.isNote != true,
            terms.productType != .consumable || !stored.isFinished,
            let identifier = value.transactionIdentifier, let date = value.transactionDate
        else { return nil }
        let isSubscription = terms.productType == .autoRenewable
        let original = value.original?.transaction
        return with(
            ReceiptItem(
                transactionIdentifier: identifier,
                originalTransactionIdentifier: value.originalTransactionIdentifier ?? identifier,
                productIdentifier: value.payment.productIdentifier, type: terms.productType,
                quantity: value.payment.quantity, purchaseDate: date,
                originalPurchaseDate: original?.transactionDate ?? date, expiresDate: value.expiresDate,
                subscriptionGroupIdentifier: terms.subscription?.group)
        ) {
            $0.webOrderLineItemIdentifier = isSubscription ? lineItem(of: identifier) : nil
            $0.isTrialPeriod = value.isTrialPeriod
            $0.isInIntroOfferPeriod = value.isInIntroOfferPeriod
            $0.isUpgraded = value.isUpgraded
            $0.cancellationDate = value.revocationDate
            $0.cancellationReason = value.revocationReason
            $0.offer = value.offer
            $0.appAccountToken = value.payment.appAccountToken
        }
    }

    /// Returns the line item of a period: decimal digits that never change.
    ///
    /// It never equals a transaction's identifier: those begin at 2 000 000 000 000 000, line items at 1 000 000 000
    /// 000 000 (our choice).
    private static func lineItem(of identifier: String) -> String? {
        Int64(identifier).map { "\($0 - 1_000_000_000_000_000)" }
    }
}
