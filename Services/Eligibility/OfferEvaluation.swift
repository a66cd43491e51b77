import StoreModels

/// Puts Catalog's subscriptions and PaymentQueue's history of a customer together into answers. Pure: what could not
/// be asked is handed in as nil.
struct OfferEvaluation {
    /// The app's subscriptions that were asked for; other products are passed over.
    let subscriptions: [SubscriptionReference]
    /// Nil when PaymentQueue did not answer: every answer is then `unknown`, never invented.
    let summary: OfferSummary?

    func reply() -> EligibilityReply {
        let histories = Dictionary(
            (summary?.groups ?? []).map { ($0.subscriptionGroupIdentifier, $0) },
            uniquingKeysWith: { first, _ in first })
        let answers = subscriptions.compactMap { product -> ProductEligibility? in
            guard let group = product.subscriptionGroupIdentifier else { return nil }
            return answer(for: product, in: group, history: histories[group])
        }
        let degraded = summary == nil ? [ServiceName.paymentQueue.degradedName].compactMap(\.self) : []
        return EligibilityReply(eligibility: answers, degraded: degraded)
    }

    /// The offer belongs to the group (M119, M121), so the answer is the same for each of its products.
    private func answer(
        for product: SubscriptionReference, in group: String, history: SubscriptionGroupHistory?
    ) -> ProductEligibility {
        guard let summary else {
            return ProductEligibility(
                productIdentifier: product.productIdentifier, subscriptionGroupIdentifier: group, eligibility: .unknown,
                rule: .historyUnavailable)
        }
        let decision = IntroductoryOfferPolicy.decide(history: history, now: summary.businessNow)
        return ProductEligibility(
            productIdentifier: product.productIdentifier, subscriptionGroupIdentifier: group,
            eligibility: decision.eligibility, rule: decision.rule,
            transactionIdentifier: decision.transactionIdentifier)
    }
}
