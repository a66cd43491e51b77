import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: what the store sells and what the sheet says become one plan: no person is asked in vain, and no failure
/// waits.
@Suite struct PurchasePlanTests {
    private func plan(
        _ tester: TesterSettings, _ context: PurchasePolicy.Context = .init(),
        availability: Quote.Availability = .available
    ) -> PurchasePlan {
        PurchasePlan(
            payment: Payment(requestIdentifier: "k", productIdentifier: "beaches"),
            quote: Quote(
                catalogVersion: 1, settingsRevision: 1, availability: availability,
                product: .product("beaches", .nonConsumable, "1.99")),
            context: context, tester: tester, now: Timestamp(milliseconds: 0))
    }

    private func code(_ plan: PurchasePlan) -> Int? {
        guard case .fail(let error) = plan.decision else { return nil }
        return error.code
    }

    @Test func `what is sold waits for those who are asked`() {
        let plan = plan(TesterSettings(askToBuy: true, sheet: .interactive))
        #expect(plan.asks == [.sheet, .askToBuy])
        #expect(plan.decision == self.plan(TesterSettings()).decision)
        #expect(self.plan(TesterSettings()).asks.isEmpty)
    }

    @Test func `what the store refuses is refused without asking, with the store's own error`() {
        let plan = plan(TesterSettings(sheet: .interactive), availability: .notForSale)
        #expect(code(plan) == 5)
        #expect(plan.asks.isEmpty)
        #expect(code(self.plan(TesterSettings(sheet: .cancel), availability: .unknown)) == 3)
    }

    @Test func `behind another purchase of the product no person is asked yet, but a failure comes at once`() {
        let busy = PurchasePolicy.Context(isSlotTaken: true)
        #expect(plan(TesterSettings(sheet: .interactive), busy).decision == .wait)
        #expect(plan(TesterSettings(sheet: .interactive), busy).asks.isEmpty)
        #expect(code(plan(TesterSettings(sheet: .cancel), busy)) == 2)
    }

    @Test func `what is owned already is given again only after the sheet`() {
        let owned = PurchasePolicy.Context(ownedSince: "2000000000000001")
        #expect(plan(TesterSettings(sheet: .interactive), owned).asks == [.sheet])
        #expect(code(plan(TesterSettings(sheet: .cancel), owned)) == 2)
    }

    @Test func `the tester's wish for the processor goes with the terms`() {
        guard case .sell(let terms, _) = plan(TesterSettings(processor: .timeoutAfter)).decision,
            case .sell(let plain, _) = plan(TesterSettings()).decision
        else {
            Issue.record("both are sold")
            return
        }
        #expect(terms.simulate == .timeoutAfter)
        #expect(plain.simulate == nil)
    }

    @Test func `M25: what is sold remembers the content that comes with it`() {
        var product = Product.product("guide", .nonConsumable, "1.99")
        (product.isDownloadable, product.downloadContentLengths, product.downloadContentVersion) = (true, [9], "1.0")
        for context in [PurchasePolicy.Context(), .init(ownedSince: "2000000000000001")] {
            let plan = PurchasePlan(
                payment: Payment(requestIdentifier: "k", productIdentifier: "guide"),
                quote: Quote(catalogVersion: 1, settingsRevision: 1, availability: .available, product: product),
                context: context, tester: TesterSettings(), now: Timestamp(milliseconds: 0))
            guard case .sell(let terms, _) = plan.decision else {
                Issue.record("it is sold")
                continue
            }
            #expect(terms.content == .init(version: "1.0", length: 9))
        }
    }

    @Test func `the offer's or the regular price is authorized, zero stands for what is free, and nil for others`() {
        let offered = Product.subscription("basic", intro: .discount(.payUpFront, "1.99", 2, .month))
        let trial = Product.subscription("pro", intro: .discount(.freeTrial, "0.00", 1, .week))
        func amount(
            _ product: Product, quantity: Int = 1, hasSubscribed: Bool = false,
            _ change: (inout AddPaymentRequest) -> Void = { _ in }
        ) -> Money? {
            var request = AddPaymentRequest(
                bundleId: "app", customerIdentifier: "c", deviceId: "phone",
                payment: Payment(
                    requestIdentifier: "k", productIdentifier: product.productIdentifier, quantity: quantity))
            change(&request)
            return PurchaseAuthorization.amount(
                of: request, BatchSample.quote(product), hasSubscribed: hasSubscribed)
        }
        let (coins, beaches) = (BatchSample.coins, Product.product("beaches", .nonConsumable, "1.99"))
        #expect(amount(coins, quantity: 3) == .usd("2.97"))
        #expect([amount(beaches), amount(beaches, quantity: 2)] == [.usd("1.99"), nil])
        #expect([amount(offered), amount(offered, hasSubscribed: true)] == [.usd("1.99"), .usd("9.99")])
        #expect([amount(trial), amount(trial, hasSubscribed: true)] == [.usd("0.00"), .usd("9.99")])
        let given = amount(offered, hasSubscribed: true) { $0.introductoryDecision = .decision(true, nonce: "n") }
        let refused = amount(trial) { $0.introductoryDecision = .decision(false, nonce: "n") }
        #expect([given, refused] == [.usd("1.99"), .usd("9.99")])
        let promoted = amount(coins) { $0.payment.intentIdentifier = "i" }
        let asked = amount(coins) { $0.payment.simulatesAskToBuyInSandbox = true }
        let past = amount(offered) { $0.past = PastPurchase(due: .periodEnd, at: Timestamp(milliseconds: 0)) }
        let unsigned = amount(offered) { $0.payment.paymentDiscount = .offer("loyal", nonce: "n") }
        #expect([promoted, asked, past, unsigned] == [.usd("0.99"), nil, nil, nil])
    }
}
