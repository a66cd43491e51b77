import StoreModels
import Testing

@testable import PaymentQueue

/// Goal: promotional, win-back and code offers are sold to whom they are for, and the errors are StoreKit's 11, 12, 13,
/// 18.
@Suite struct RequestedOfferPolicyTests {
    private let now = Timestamp(milliseconds: 1_000_000)

    private var product: Product {
        var product = Product.subscription("pro.monthly", intro: .discount(.freeTrial, "0.00", 1, .week))
        var discount = ProductDiscount.discount(.payUpFront, "4.99", 3, .month)
        (discount.identifier, discount.type) = ("loyal", .subscription)
        product.discounts = [discount]
        return product
    }

    private func offer(_ kind: RedeemableOffer.Kind, _ identifier: String) -> RedeemableOffer {
        var discount = ProductDiscount.discount(.freeTrial, "0.00", 1, .month)
        (discount.identifier, discount.type) = (identifier, .subscription)
        return kind == .code
            ? RedeemableOffer(type: .code, offer: discount, audiences: [.new])
            : RedeemableOffer(
                type: .winBack, offer: discount,
                winBack: .init(paidMonthsMin: 2, monthsSinceExpiryMin: 0))
    }

    private func decide(
        discount identifier: String? = nil, check: DiscountCheck? = nil, redeemed: RedeemedOffer? = nil,
        _ context: PurchasePolicy.Context
    ) -> PurchasePolicy.Decision {
        var payment = Payment(requestIdentifier: "k", productIdentifier: "pro.monthly")
        payment.paymentDiscount = identifier.map {
            PaymentDiscount(identifier: $0, keyIdentifier: "K", nonce: "n", signature: "s", timestamp: 1)
        }
        return PurchasePolicy.decide(
            payment, OfferRequest(discountCheck: check, redeemed: redeemed),
            quote: Quote(
                catalogVersion: 1, settingsRevision: 1, availability: .available, product: product,
                subscriptionLevel: 1, redeemableOffers: [offer(.code, "WELCOME"), offer(.winBack, "back")]),
            context: context, now: now)
    }

    private func code(_ decision: PurchasePolicy.Decision) -> Int? {
        if case .fail(let error) = decision { return error.code }
        return nil
    }

    private var former: PurchasePolicy.Context {
        PurchasePolicy.Context(
            groupHistory: SubscriptionGroupHistory(
                subscriptionGroupIdentifier: "pro", introductoryOfferTransaction: "1", activeUntil: now,
                state: .expired))
    }

    @Test func `13, 12 and 11 come before anything is known of the customer`() {
        for context in [PurchasePolicy.Context(), former, .init(isSlotTaken: true)] {
            #expect(code(decide(discount: "loyal", check: .missingParameters, context)) == 13)
            #expect(code(decide(discount: "loyal", check: .invalidSignature, context)) == 12)
            #expect(code(decide(discount: "loyal", check: nil, context)) == 12)
            #expect(code(decide(discount: "other", check: .valid, context)) == 11)
        }
    }

    @Test func `18: a promotional offer is for customers who have ever subscribed`() {
        #expect(code(decide(discount: "loyal", check: .valid, .init())) == 18)
        guard case .sell(let terms, let claim) = decide(discount: "loyal", check: .valid, former) else {
            Issue.record("a former subscriber may have the offer")
            return
        }
        #expect(terms.amount == .usd("4.99"))
        #expect(
            terms.offer
                == AppliedOffer(
                    type: .subscription, paymentMode: .payUpFront, identifier: "loyal",
                    period: SubscriptionPeriod(numberOfUnits: 3, unit: .month)))
        #expect(terms.subscription?.accessPeriod == SubscriptionPeriod(numberOfUnits: 3, unit: .month))
        #expect(terms.flags == (false, false))
        #expect(claim == nil)
    }

    @Test func `a nonce that came with another payment is error 12`() {
        var context = former
        context.isNonceUsed = true
        #expect(code(decide(discount: "loyal", check: .valid, context)) == 12)
    }

    @Test func `a promotional offer leaves the introductory one alone`() {
        var context = former
        context.groupHistory?.introductoryOfferTransaction = nil
        guard case .sell(let terms, let claim) = decide(discount: "loyal", check: .valid, context) else {
            Issue.record("a former subscriber may have the offer")
            return
        }
        #expect(terms.offer?.type == .subscription)
        #expect(claim == nil)
    }

    @Test func `an offer code is for its audience`() {
        let redeemed = RedeemedOffer(type: .code, identifier: "WELCOME")
        #expect(code(decide(redeemed: redeemed, former)) == 18)
        #expect(code(decide(redeemed: .init(type: .code, identifier: "OTHER"), .init())) == 11)
        #expect(code(decide(redeemed: .init(type: .code), .init())) == 11)
        guard case .sell(let terms, _) = decide(redeemed: redeemed, .init()) else {
            Issue.record("the code is for new subscribers")
            return
        }
        #expect(
            terms.offer
                == AppliedOffer(
                    type: .code, paymentMode: .freeTrial, identifier: "WELCOME",
                    period: SubscriptionPeriod(numberOfUnits: 1, unit: .month)))
        #expect(terms.isFree)
    }

    @Test func `a win-back offer asks for its own conditions`() {
        let redeemed = RedeemedOffer(type: .winBack, identifier: "back")
        var context = former
        context.winBack = WinBackFacts(history: context.groupHistory, paidMonths: 1, expiredAt: now)
        #expect(code(decide(redeemed: redeemed, context)) == 18)
        context.winBack?.paidMonths = 2
        guard case .sell(let terms, _) = decide(redeemed: redeemed, context) else {
            Issue.record("two months are enough")
            return
        }
        #expect(terms.offer?.type == .winBack)
        #expect(code(decide(redeemed: .init(type: .winBack, identifier: "WELCOME"), context)) == 11)
    }

    @Test func `redeeming the introductory offer is an ordinary purchase`() {
        guard case .sell(let terms, let claim) = decide(redeemed: .init(type: .introductory), .init()) else {
            Issue.record("everybody can buy")
            return
        }
        #expect(terms.offer?.type == .introductory)
        #expect(claim == "pro")
    }
}
