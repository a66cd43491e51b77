import StoreModels

/// Eligibility's reply, or its absence, to be added to products.
struct EligibilityAnswers: Sendable {
    /// Nil when Eligibility is away.
    let reply: EligibilityReply?

    private let known: [ExactText: OfferEligibility]

    init(_ reply: EligibilityReply?) {
        self.reply = reply
        known = Dictionary(exactly: (reply?.eligibility ?? []).map { ($0.productIdentifier, $0.eligibility) })
    }

    /// Names of services missing from these answers.
    var degraded: [String] { reply?.degraded ?? [ServiceName.eligibility].compactMap(\.degradedName) }

    /// Adds each product's eligibility. A product that is not a subscription has no introductory offer and is
    /// `ineligible`; a subscription without an answer is `unknown`.
    func apply(to products: [Product]) -> (products: [Product], degraded: [String]) {
        let answered = products.map { product in
            var product = product
            product.introductoryOfferEligibility = eligibility(of: product.productIdentifier, product.type)
            return product
        }
        return (answered, degraded(for: products.map(\.type)))
    }

    /// Adds each product's eligibility, as ``apply(to:)``, for products that are forwarded unchanged.
    func apply(to products: [PresentedProduct]) -> (products: [ForwardedProduct], degraded: [String]) {
        let answered = products.map { apply(to: $0.json, $0.productIdentifier, $0.type) }
        return (answered, degraded(for: products.map(\.type)))
    }

    /// Returns the product's prepared JSON with the customer's eligibility.
    func form(of product: ShownProduct) -> ForwardedProduct {
        product[eligibility(of: product.productIdentifier, product.type)]
    }

    /// Adds the eligibility to one product that is forwarded unchanged.
    func apply(to json: RawJSON, _ productIdentifier: String, _ type: ProductType) -> ForwardedProduct {
        ForwardedProduct(json, eligibility(of: productIdentifier, type))
    }

    private func eligibility(of productIdentifier: String, _ type: ProductType) -> OfferEligibility {
        type == .autoRenewable ? known[productIdentifier] ?? .unknown : .ineligible
    }

    /// Names of services missing from a response; empty when no product is a subscription.
    func degraded(for types: [ProductType]) -> [String] { types.contains(.autoRenewable) ? degraded : [] }
}
