import StoreModels

/// A product as a client gets it, ready for each answer of Eligibility's, so that showing it is copying bytes.
struct ShownProduct: Sendable {
    let productIdentifier: String
    let type: ProductType
    private let forms: [OfferEligibility: RawJSON.Extended]

    init(_ product: PresentedProduct) {
        productIdentifier = product.productIdentifier
        type = product.type
        // Nobody can be eligible for what is no subscription.
        let possible = product.type == .autoRenewable ? OfferEligibility.allCases : [.ineligible]
        forms = Dictionary(
            uniqueKeysWithValues: possible.map {
                ($0, product.json.adding("introductoryOfferEligibility", $0.rawValue))
            })
    }

    /// - Precondition: `ineligible` for what is no subscription.
    subscript(eligibility: OfferEligibility) -> RawJSON.Extended {
        guard let form = forms[eligibility] else {
            preconditionFailure("\(productIdentifier) is no subscription, so nobody is \(eligibility) for it")
        }
        return form
    }
}
