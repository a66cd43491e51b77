import StoreModels
import StorebusTesting
import Testing

@testable import Eligibility

/// O5: eligibility computed from the receipt is the service's own answer, with its rule and whether an offer was used.
@Suite struct ReceiptDifferentialTests {
    @Test func `O5: random customers are answered the same by their history and by their receipt`() {
        var random = SplitMix64.seeded()
        var seen: Set<IntroductoryOfferPolicy.Rule> = []
        for customerNumber in 0..<300 {
            var customer = RandomCustomer(SplitMix64(seed: random.next()))
            for step in 0..<30 {
                customer.step()
                let summary = OfferSummary(groups: [customer.history], businessNow: customer.now)
                let receipt = ReceiptHistory(items: customer.shuffledItems(), now: customer.now)
                let own = answers(.summary(summary))
                let derived = answers(.receipt(receipt))
                #expect(own.map(\.rule) == derived.map(\.rule), "customer \(customerNumber), step \(step)")
                #expect(own.map(\.eligibility) == derived.map(\.eligibility))
                if own[0].rule == .offerUsed {
                    #expect(own[0].transactionIdentifier == derived[0].transactionIdentifier)
                }
                seen.insert(own[0].rule)
            }
        }
        #expect(seen == [.newSubscriber, .lapsedWithoutOffer, .offerUsed, .subscribed])
    }

    private func answers(_ history: OfferEvaluation.History) -> [ProductEligibility] {
        OfferEvaluation(subscriptions: TruthTable.subscriptions, identifiers: ["pro.monthly"], history: history)
            .reply().eligibility
    }
}
