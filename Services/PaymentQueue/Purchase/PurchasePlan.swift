import StoreModels

/// What keeps a purchase waiting until it ends: a purchase in flight of the same product, or a subscription whose
/// renewal is in quarantine.
struct PurchaseObstacle: Hashable, Sendable {
    /// The purchase's `id`, or that of the subscription's first transaction.
    var id: String
    /// It goes on only when a person has answered or decided.
    var isForPerson: Bool
}

/// What becomes of a payment, all things considered: what is sold, and who has to agree first.
struct PurchasePlan: Hashable, Sendable {
    var decision: PurchasePolicy.Decision
    /// Whose answers come before the charge, in this order; only for what is sold.
    var asks: [Prompt.Kind]
    /// Of one that waits; nil where several commits may end that.
    var obstacle: PurchaseObstacle?

    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - tester: what the account does at the store, over all defaults.
    ///   - storefront: where the shopper is.
    ///   - now: the business clock.
    ///   - isResumed: Whether the purchase was interrupted and continues.
    init(
        payment: Payment, _ request: OfferRequest? = nil, quote: Quote, context: PurchasePolicy.Context,
        tester: TesterSettings, storefront: String? = nil, now: Timestamp, isResumed: Bool = false
    ) {
        let decision = PurchasePolicy.decide(payment, request, quote: quote, context: context, now: now)
        let asksToBuy = payment.simulatesAskToBuyInSandbox
        let sheet =
            isResumed
            ? PaymentSheetPolicy.decideAgain(tester: tester, asksToBuy: asksToBuy)
            : PaymentSheetPolicy.decide(tester: tester, asksToBuy: asksToBuy)
        self.decision = decision.charged(as: tester.processor, in: storefront)
        self.asks = []
        switch (decision, sheet) {
        case (.fail, _), (_, .pay): break
        // A purchase that fails at the sheet does not wait for another one first.
        case (.sell, .fail(let error)), (.wait, .fail(let error)): self.decision = .fail(error)
        case (.sell, .ask(let kinds)): self.asks = kinds
        // The person is asked once it is known what there is to buy.
        case (.wait, .ask): break
        }
        if self.decision == .wait { obstacle = context.obstacle }
    }
}

extension PurchasePolicy.Decision {
    /// The tester's wish for the processor and the storefront go with the terms, so that they survive the process.
    fileprivate func charged(as mode: ProcessorMode?, in storefront: String?) -> PurchasePolicy.Decision {
        guard case .sell(var terms, let reservesOffer) = self else { return self }
        (terms.simulate, terms.storefront) = (mode, storefront)
        return .sell(terms, reservesOffer: reservesOffer)
    }
}
