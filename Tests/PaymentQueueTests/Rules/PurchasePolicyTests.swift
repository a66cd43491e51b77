import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: quote, history and quantity decide what becomes of a payment, and nothing else does.
@Suite struct PurchasePolicyTests {
    private let now = Timestamp(milliseconds: 1_000_000)
    private let coins = Product.product("coins", .consumable, "0.99")
    private let beaches = Product.product("beaches", .nonConsumable, "1.99")

    private func decide(
        _ product: Product?, _ context: PurchasePolicy.Context = .init(), quantity: Int = 1,
        availability: Quote.Availability = .available, limit: Int? = nil
    ) -> PurchasePolicy.Decision {
        PurchasePolicy.decide(
            Payment(
                requestIdentifier: "k", productIdentifier: product?.productIdentifier ?? "unknown", quantity: quantity),
            quote: Quote(
                catalogVersion: 7, settingsRevision: 1, availability: availability, product: product,
                subscriptionLevel: 1, unfinishedLimit: limit), context: context, now: now)
    }

    private func error(_ decision: PurchasePolicy.Decision) -> TransactionError? {
        if case .fail(let error) = decision { return error }
        return nil
    }

    private func terms(_ decision: PurchasePolicy.Decision) -> PurchaseTerms? {
        if case .sell(let terms, _) = decision { return terms }
        return nil
    }

    @Test func `quantity times price, in minor units`() {
        #expect(terms(decide(coins, quantity: 10))?.amount == .usd("9.90"))
    }

    @Test func `several at once are sold of consumables and non-renewing subscriptions, of the rest it is error 3`() {
        for (type, isSold) in [
            (ProductType.consumable, true), (.nonRenewable, true), (.nonConsumable, false), (.autoRenewable, false),
        ] {
            var product = Product.product("p", type, "1.99")
            if type == .autoRenewable { product = .subscription("p", "1.99") }
            for context in [PurchasePolicy.Context(), .init(isSlotTaken: true), .init(ownedSince: "2000000000000001")] {
                let refusal = error(decide(product, context, quantity: 2))
                #expect((refusal?.reason == "invalidQuantity") == !isSold)
                #expect((refusal?.code == 3) == !isSold)
                #expect(error(decide(product, context)) == nil)
            }
        }
    }

    @Test func `of one customer a hundred purchases wait, and no more`() {
        #expect(decide(beaches, .init(isSlotTaken: true, waitingCount: 99)) == .wait)
        let refusal = error(decide(beaches, .init(isSlotTaken: true, waitingCount: 100)))
        #expect(refusal?.code == 0)
        #expect(refusal?.reason == "unfinishedTransactions")
        #expect(terms(decide(beaches, .init(waitingCount: 100))) != nil)
    }

    @Test func `M14: payments not allowed is error 4, before anything else is looked at`() {
        #expect(error(decide(nil, .init(canMakePayments: false), availability: .unknown))?.code == 4)
    }

    @Test func `an unknown product is error 3, one that is not for sale error 5`() {
        #expect(error(decide(nil, availability: .unknown))?.code == 3)
        #expect(error(decide(coins, availability: .notForSale))?.code == 5)
        #expect(error(decide(nil, availability: .notForSale))?.code == 5)
    }

    @Test func `M52: at the limit of unfinished transactions nothing is sold`() {
        let refusal = error(decide(coins, .init(unfinishedCount: 2), limit: 2))
        #expect(refusal?.code == 0)
        #expect(refusal?.reason == "unfinishedTransactions")
        #expect(terms(decide(coins, .init(unfinishedCount: 1), limit: 2)) != nil)
        #expect(terms(decide(coins, .init(unfinishedCount: 99))) != nil)
    }

    @Test func `an owned non-consumable costs nothing and remembers its first transaction`() {
        let terms = terms(decide(beaches, .init(ownedSince: "2000000000000001")))
        #expect(terms?.isFree == true)
        #expect(terms?.ownedSince == "2000000000000001")
    }

    @Test func `P8: the second purchase of a product in flight waits`() {
        #expect(decide(beaches, .init(isSlotTaken: true)) == .wait)
    }

    @Test func `the subscription that is active already is error 0 with 3532 beneath`() {
        let context = PurchasePolicy.Context(subscription: .stored("pro.monthly", until: now + .seconds(1)))
        #expect(error(decide(.subscription("pro.monthly"), context))?.underlying == 3532)
        // Another product of the group is an upgrade, downgrade or crossgrade.
        #expect(terms(decide(.subscription("pro.yearly", unit: .year), context))?.change == .scheduled)
        #expect(terms(decide(.subscription("plus.monthly"), context))?.change == .crossgrade)
        var lapsed = context
        lapsed.subscription?.state = .expired
        lapsed.subscription?.dueAt = nil
        #expect(terms(decide(.subscription("pro.monthly"), lapsed)) != nil)
    }

    @Test func `S1: where a renewal is due or being charged the purchase waits`() {
        var context = PurchasePolicy.Context(subscription: .stored("pro.monthly", until: now))
        #expect(decide(.subscription("plus.monthly"), context) == .wait)
        context.subscription = .stored("pro.monthly", until: now + .seconds(9))
        context.subscription?.attempt = "{}"
        #expect(decide(.subscription("plus.monthly"), context) == .wait)
    }

    @Test func `a change for the next renewal costs nothing, has no period and names its day`() throws {
        let context = PurchasePolicy.Context(subscription: .stored("pro.monthly", until: now + .seconds(9)))
        let noted = try #require(terms(decide(.subscription("pro.yearly", unit: .year), context)))
        #expect(noted.isFree)
        #expect(noted.effectiveDate == now + .seconds(9))
        let purchase = noted.purchase(transactionIdentifier: "1", at: now, original: nil)
        #expect(purchase.effectiveDate == now + .seconds(9))
        #expect(purchase.expiresDate == nil)
        #expect(purchase.subscriptionGroupIdentifier == "pro")
        #expect(noted.flags == (nil, nil))
    }

    @Test func `a tester's rate goes with the terms and compresses the first period`() throws {
        let context = PurchasePolicy.Context(rate: .monthlyRenewalEveryThirtySeconds)
        let sold = try #require(terms(decide(.subscription("pro.monthly"), context)))
        #expect(sold.subscription?.rate == .monthlyRenewalEveryThirtySeconds)
        let purchase = sold.purchase(transactionIdentifier: "1", at: now, original: nil)
        #expect(purchase.expiresDate == now + .seconds(30))
    }

    @Test func `M134: a customer who may not have the introductory offer pays the regular price`() {
        let intro = ProductDiscount.discount(.freeTrial, "0.00", 1, .week)
        let product = Product.subscription("pro.monthly", intro: intro)
        #expect(decide(product).reservedGroup == "pro")
        #expect(terms(decide(product))?.amount == .usd("0.00"))
        for history in [
            SubscriptionGroupHistory(subscriptionGroupIdentifier: "pro", introductoryOfferReserved: true),
            SubscriptionGroupHistory(subscriptionGroupIdentifier: "pro", introductoryOfferTransaction: "1"),
            SubscriptionGroupHistory(subscriptionGroupIdentifier: "pro", activeUntil: now + .seconds(1)),
        ] {
            let decision = decide(product, .init(groupHistory: history))
            #expect(terms(decision)?.amount == .usd("9.99"))
            #expect(decision.reservedGroup == nil)
        }
    }

    @Test func `M110: an offer on a product that is no subscription is not applied`() {
        var product = coins
        product.introductoryPrice = .discount(.payUpFront, "0.10", 1, .month)
        #expect(terms(decide(product))?.amount == .usd("0.99"))
    }

    @Test func `a price that does not fit is refused and not wrapped round`() {
        var product = coins
        product.price.minorUnits = .max
        #expect(error(decide(product, quantity: 2))?.code == 3)
    }

    @Test(arguments: [
        (ProductDiscount.discount(.payAsYouGo, "1.99", 1, .month, periods: 3), "2026-02-15", false, true),
        (.discount(.payUpFront, "1.99", 1, .month, periods: 2), "2026-03-15", false, true),
        (.discount(.freeTrial, "0.00", 1, .week, periods: 2), "2026-01-29", true, false),
    ])
    func `M114 to M116, M118: the first period and the flags of each offer`(
        _ offer: ProductDiscount, _ end: String, _ isTrial: Bool, _ isIntro: Bool
    ) throws {
        let agreed = try #require(terms(decide(.subscription("pro.monthly", intro: offer))))
        let start = try #require(Timestamp("2026-01-15T00:00:00.000Z"))
        let purchase = agreed.purchase(transactionIdentifier: "1", at: start, original: nil)
        #expect(purchase.expiresDate == Timestamp("\(end)T00:00:00.000Z"))
        #expect(purchase.isTrialPeriod == isTrial)
        #expect(purchase.isInIntroOfferPeriod == isIntro)
        #expect(purchase.price == offer.price)
    }

    @Test func `M118: a regular subscription has both flags false, other products have none`() throws {
        let regular = try #require(terms(decide(.subscription("pro.monthly"))))
        #expect(regular.flags == (false, false))
        #expect(try #require(terms(decide(coins))).flags == (nil, nil))
    }
}

extension PurchasePolicy.Decision {
    fileprivate var reservedGroup: String? {
        if case .sell(_, let group) = self { return group }
        return nil
    }
}
