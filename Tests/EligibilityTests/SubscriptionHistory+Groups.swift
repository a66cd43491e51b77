import StoreModels

extension OfferSummary {
    /// Of a customer with known groups only, for any products bought there.
    init(groups: [SubscriptionGroupHistory], businessNow: Timestamp) {
        var history = SubscriptionHistory()
        for (number, value) in groups.enumerated() {
            let group = value.subscriptionGroupIdentifier
            if let state = value.state {
                history.subscriptions.append(
                    .init(
                        originalTransactionIdentifier: "\(number + 1)", productIdentifier: "\(group).sold",
                        groups: [group], activeUntil: value.activeUntil, activeTransaction: value.activeTransaction,
                        state: state, isRenewalDue: value.isRenewalDue))
            }
            if value.introductoryOfferReserved || value.introductoryOfferTransaction != nil {
                history.offers.append(
                    .init(
                        productIdentifier: value.introductoryOfferProduct ?? "\(group).sold", groups: [group],
                        transactionIdentifier: value.introductoryOfferTransaction))
            }
        }
        self.init(history: history, businessNow: businessNow)
    }
}
