import StoreModels

/// Combines Catalog's subscriptions and a customer's history into answers, without I/O.
struct OfferEvaluation {
    /// A customer's history, by subscription group.
    enum History {
        /// PaymentQueue's summary. Nil without a reply, and then every answer is `unknown`.
        case summary(OfferSummary?)
        /// A receipt's history. PaymentQueue is not asked about its customer.
        case receipt(ReceiptHistory)
    }

    /// The app's subscriptions.
    let subscriptions: SubscriptionList
    /// The products to answer for. Nil for all.
    let identifiers: [String]?
    let history: History

    func reply() -> EligibilityReply {
        let products = subscriptions.offered(identifiers)
        switch history {
        case .summary(let summary?):
            return EligibilityReply(
                eligibility: products.map { answer($0, decide($0, summary.history, summary.businessNow)) },
                degraded: [])
        case .summary(nil):
            return EligibilityReply(
                eligibility: products.map { unknown($0) },
                degraded: [ServiceName.paymentQueue.degradedName].compactMap(\.self))
        case .receipt(let receipt):
            return EligibilityReply(eligibility: answers(products, receipt), degraded: [])
        }
    }

    /// Answers from a receipt. An unknown product in it turns `eligible` into `unknown` (O3).
    private func answers(_ products: [SubscriptionProduct], _ receipt: ReceiptHistory) -> [ProductEligibility] {
        let history = receipt.history
        let unplaced = receipt.unplaced { subscriptions.groups[$0] != nil }
        return products.map { product in
            let decision = decide(product, history, receipt.now)
            if let unplaced, decision.eligibility == .eligible {
                return unknown(product, transactionIdentifier: unplaced.transactionIdentifier)
            }
            return answer(product, decision)
        }
    }

    /// Decides by group (M119, M121).
    ///
    /// A product's own history counts, and that of all products it shares a group with, today or when they were bought.
    private func decide(
        _ product: SubscriptionProduct, _ history: SubscriptionHistory, _ now: Timestamp
    ) -> IntroductoryOfferPolicy.Decision {
        let group = product.subscriptionGroupIdentifier
        let question = SubscriptionHistory.Question(of: product.productIdentifier, inGroup: group) { other in
            subscriptions.groups[other].map { $0.isExactly(group) } ?? false
        }
        return IntroductoryOfferPolicy.decide(history: history.group(of: question, at: now), now: now)
    }

    private func answer(
        _ product: SubscriptionProduct, _ decision: IntroductoryOfferPolicy.Decision
    ) -> ProductEligibility {
        ProductEligibility(
            productIdentifier: product.productIdentifier,
            subscriptionGroupIdentifier: product.subscriptionGroupIdentifier, eligibility: decision.eligibility,
            rule: decision.rule, transactionIdentifier: decision.transactionIdentifier,
            usedProductIdentifier: decision.usedProductIdentifier.flatMap { used in
                used.isExactly(product.productIdentifier) ? nil : used
            })
    }

    private func unknown(
        _ product: SubscriptionProduct, transactionIdentifier: String? = nil
    ) -> ProductEligibility {
        ProductEligibility(
            productIdentifier: product.productIdentifier,
            subscriptionGroupIdentifier: product.subscriptionGroupIdentifier, eligibility: .unknown,
            rule: .historyUnavailable, transactionIdentifier: transactionIdentifier)
    }
}
