import Foundation
import StoreModels
import Testing

@testable import StoreKitClient

/// Goal: an offer can be shown from `introductoryPrice` alone, to those who may have it.
@Suite struct OfferTextTests {
    @Test(arguments: [
        (ProductDiscount.PaymentMode.payAsYouGo, "1.99", "P1M", 3, "$1.99 a month for 3 months"),
        (.payAsYouGo, "1.99", "P2M", 3, "$1.99 every 2 months for 6 months"),
        (.payAsYouGo, "0.49", "P1W", 1, "$0.49 a week for 1 week"),
        (.payUpFront, "1.99", "P2M", 1, "$1.99 for 2 months"), (.payUpFront, "1.99", "P1M", 2, "$1.99 for 2 months"),
        (.payUpFront, "19.00", "P1Y", 1, "$19.00 for 1 year"), (.freeTrial, "0.00", "P1W", 1, "free for 1 week"),
        (.freeTrial, "0.00", "P3D", 1, "free for 3 days"),
    ])
    func `M132: each mode has its text, made of the discount's properties`(
        mode: ProductDiscount.PaymentMode, amount: String, period: String, count: Int, text: String
    ) throws {
        let product = SKProduct(
            try StoreModels.Product.subscription(mode, amount: amount, period: period, count: count))
        #expect(product.introductoryPrice?.offerText == text)
    }

    @Test func `M131: the price is written in the offer's own locale and currency`() throws {
        let product = SKProduct(
            try StoreModels.Product.subscription(.payUpFront, currency: "EUR", locale: "fr_FR@currency=EUR"))
        let text = product.introductoryPrice?.offerText.replacingOccurrences(of: "\u{A0}", with: " ")
        #expect(text == "1,99 € for 1 month")
    }

    @Test(
        arguments: [
            (OfferEligibility.eligible, true, "Try it free for 1 month, then $9.99"), (.ineligible, false, "$9.99"),
            (.unknown, nil, "$9.99"),
        ] as [(OfferEligibility, Bool?, String)])
    func `M130, M133: the offer is there for all customers and shown to those who may have it`(
        eligibility: OfferEligibility, isEligible: Bool?, text: String
    ) throws {
        let product = SKProduct(
            try StoreModels.Product.subscription(.freeTrial, amount: "0.00", eligibility: eligibility))
        #expect(product.introductoryPrice != nil)
        #expect(product.isEligibleForIntroOffer == isEligible)
        #expect(product.priceText == text)
    }

    @Test func `M112: a product without an offer has none, and eligibility is not requested`() throws {
        var model = try StoreModels.Product.subscription(.freeTrial, amount: "0.00")
        model.introductoryPrice = nil
        #expect(SKProduct(model).introductoryPrice == nil)
        #expect(SKProduct(model).isEligibleForIntroOffer == nil)
    }
}

/// What an app shows of a subscription: the offer to those who may have it, else the regular price (M133).
extension SKProduct {
    fileprivate var priceText: String {
        let regularPrice = regularPrice ?? ""
        guard let introductoryPrice, isEligibleForIntroOffer == true else { return regularPrice }
        // M132: the text depends on the mode.
        switch introductoryPrice.paymentMode {
        case .payAsYouGo, .payUpFront: return "\(introductoryPrice.offerText), then \(regularPrice)"
        case .freeTrial: return "Try it \(introductoryPrice.offerText), then \(regularPrice)"
        @unknown default: return regularPrice
        }
    }
}
