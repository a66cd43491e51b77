import StoreModels

/// What becomes of a payment, all things considered: what is sold, and who has to agree first.
package struct PurchasePlan: Hashable, Sendable {
    package var decision: PurchasePolicy.Decision
    /// Whose answers come before the charge, in this order; only for what is sold.
    package var asks: [Prompt.Kind]

    /// - Parameters:
    ///   - tester: what the account does at the store, over all defaults.
    ///   - now: the business clock.
    package init(payment: Payment, quote: Quote, facts: PurchasePolicy.Facts, tester: TesterSettings, now: Timestamp) {
        let decision = PurchasePolicy.decide(quote: quote, quantity: payment.quantity, facts: facts, now: now)
        let sheet = PaymentSheetPolicy.decide(tester: tester, asksToBuy: payment.simulatesAskToBuyInSandbox)
        self.decision = decision
        self.asks = []
        switch (decision, sheet) {
        case (.fail, _), (_, .pay): break
        // A purchase that fails at the sheet does not wait for another one first.
        case (.sell, .fail(let error)), (.wait, .fail(let error)): self.decision = .fail(error)
        case (.sell, .ask(let kinds)): self.asks = kinds
        // Nobody is asked before it is known what there is to buy.
        case (.wait, .ask): break
        }
    }
}
