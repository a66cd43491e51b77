import StoreModels

/// What Eligibility answered, or that it did not, to be put on products.
struct EligibilityAnswers: Sendable {
    /// Nil when Eligibility is away.
    let reply: EligibilityReply?

    private let known: [ExactText: OfferEligibility]

    init(_ reply: EligibilityReply?) {
        self.reply = reply
        known = Dictionary(exactly: (reply?.eligibility ?? []).map { ($0.productIdentifier, $0.eligibility) })
    }

    /// The services these answers do without.
    var degraded: [String] { reply?.degraded ?? [ServiceName.eligibility].compactMap(\.degradedName) }

    /// The products with each one's eligibility. A product that is no subscription has no introductory offer, so nobody
    /// is eligible for it; a subscription nobody can say anything about is `unknown`.
    func apply(to products: [Product]) -> (products: [Product], degraded: [String]) {
        let answered = products.map { product in
            var product = product
            product.introductoryOfferEligibility = eligibility(of: product.productIdentifier, product.type)
            return product
        }
        return (answered, degraded(for: products.map(\.type)))
    }

    /// As ``apply(to:)``, for products that are only handed on.
    func apply(to products: [PresentedProduct]) -> (products: [RawJSON.Extended], degraded: [String]) {
        let answered = products.map { apply(to: $0.json, $0.productIdentifier, $0.type) }
        return (answered, degraded(for: products.map(\.type)))
    }

    /// What a client gets of a product that is ready for every answer.
    func form(of product: ShownProduct) -> RawJSON.Extended {
        product[eligibility(of: product.productIdentifier, product.type)]
    }

    /// One product that is only handed on.
    func apply(to json: RawJSON, _ productIdentifier: String, _ type: ProductType) -> RawJSON.Extended {
        json.adding("introductoryOfferEligibility", eligibility(of: productIdentifier, type).rawValue)
    }

    private func eligibility(of productIdentifier: String, _ type: ProductType) -> OfferEligibility {
        type == .autoRenewable ? known[productIdentifier] ?? .unknown : .ineligible
    }

    /// Nothing is missing from an answer that has no subscription in it.
    func degraded(for types: [ProductType]) -> [String] { types.contains(.autoRenewable) ? degraded : [] }
}
