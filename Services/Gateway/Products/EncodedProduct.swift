import StoreHTTP
import StoreModels

/// A product's JSON for a client, prepared for each value of eligibility. A response only copies bytes.
struct EncodedProduct: Sendable {
    let productIdentifier: String
    let type: ProductType
    private let forms: [(eligibility: OfferEligibility, product: ForwardedProduct)]

    init(_ product: PresentedProduct) {
        self.init(product.json, product.productIdentifier, product.type)
    }

    init(_ json: RawJSON, _ productIdentifier: String, _ type: ProductType) {
        self.productIdentifier = productIdentifier
        self.type = type
        // Only subscriptions have introductory offers, so all other products are ineligible.
        let possible = type == .autoRenewable ? OfferEligibility.allCases : [.ineligible]
        forms = possible.map { ($0, ForwardedProduct(json, $0)) }
    }

    /// - Precondition: `eligibility` is `ineligible` for a product that is not a subscription.
    subscript(eligibility: OfferEligibility) -> ForwardedProduct {
        guard let form = forms.first(where: { $0.eligibility == eligibility })?.product else {
            preconditionFailure("\(productIdentifier) is not a subscription, so it cannot be \(eligibility)")
        }
        return form
    }
}

/// A product as Catalog presents it, forwarded as bytes with the customer's eligibility.
struct ForwardedProduct: JSONForm, Encodable {
    typealias Body = Product

    private let json: EncodedJSON

    init(_ product: RawJSON, _ eligibility: OfferEligibility) {
        json = product.adding("introductoryOfferEligibility", eligibility.rawValue)
    }

    var bytes: [UInt8] { json.bytes }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
