import StoreModels

/// A product's JSON for a client, prepared for each value of eligibility. A response only copies bytes.
struct ShownProduct: Sendable {
    let productIdentifier: String
    let type: ProductType
    private let forms: [OfferEligibility: RawJSON.Extended]

    init(_ product: PresentedProduct) {
        productIdentifier = product.productIdentifier
        type = product.type
        // Only subscriptions have introductory offers, so all other products are ineligible.
        let possible = product.type == .autoRenewable ? OfferEligibility.allCases : [.ineligible]
        forms = Dictionary(
            uniqueKeysWithValues: possible.map {
                ($0, product.json.adding("introductoryOfferEligibility", $0.rawValue))
            })
    }

    /// - Precondition: `eligibility` is `ineligible` for a product that is not a subscription.
    subscript(eligibility: OfferEligibility) -> RawJSON.Extended {
        guard let form = forms[eligibility] else {
            preconditionFailure("\(productIdentifier) is not a subscription, so it cannot be \(eligibility)")
        }
        return form
    }
}
