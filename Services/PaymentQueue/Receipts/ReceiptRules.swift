import StoreModels

/// What stands in a customer's receipt, without I/O (`mission.md` §2.5).
enum ReceiptRules {
    /// A transaction as the receipt has it.
    /// - Returns: nil for what no receipt lists: what is not purchased, a change that was only noted, and a consumable that
    ///   was finished.
    static func item(_ stored: StoredTransaction) -> ReceiptItem? {
        let value = stored.transaction
        guard value.transactionState == .purchased, let terms = stored.terms, terms.change?.isNote != true,
            terms.productType != .consumable || !stored.isFinished,
            let identifier = value.transactionIdentifier, let date = value.transactionDate
        else { return nil }
        let isSubscription = terms.productType == .autoRenewable
        let original = value.original?.transaction
        return ReceiptItem(
            transactionIdentifier: identifier,
            originalTransactionIdentifier: value.originalTransactionIdentifier ?? identifier,
            productIdentifier: value.payment.productIdentifier, type: terms.productType,
            quantity: value.payment.quantity, purchaseDate: date,
            originalPurchaseDate: original?.transactionDate ?? date,
            expiresDate: value.expiresDate,
            webOrderLineItemIdentifier: isSubscription ? lineItem(of: identifier) : nil,
            subscriptionGroupIdentifier: terms.subscription?.group, isTrialPeriod: value.isTrialPeriod,
            isInIntroOfferPeriod: value.isInIntroOfferPeriod, isUpgraded: value.isUpgraded,
            cancellationDate: value.revocationDate, cancellationReason: value.revocationReason, offer: value.offer,
            appAccountToken: value.payment.appAccountToken)
    }

    /// One a period, decimal, the same for ever, and never a transaction's identifier: those begin at 2 000 000 000 000 000
    /// and these at 1 000 000 000 000 000 (ours).
    private static func lineItem(of identifier: String) -> String? {
        Int64(identifier).map { "\($0 - 1_000_000_000_000_000)" }
    }
}
