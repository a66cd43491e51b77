import StoreModels

/// Eligibility's reply, or its absence, to be added to products.
struct EligibilityResults: Sendable {
    /// Nil when Eligibility is away.
    let reply: EligibilityReply?

    /// The answers by product, when there are too many to search them one by one.
    private let known: [ExactText: OfferEligibility]?

    /// The number of answers up to which they are searched one by one.
    private static let searchedMax = 32

    init(_ reply: EligibilityReply?) {
        self.reply = reply
        let answers = reply?.eligibility ?? []
        known =
            answers.count > Self.searchedMax
            ? Dictionary(exactly: answers.map { ($0.productIdentifier, $0.eligibility) }) : nil
    }

    /// Names of services missing from these answers.
    var degraded: [String] { reply?.degraded ?? [ServiceName.eligibility].compactMap(\.degradedName) }

    /// Adds each product's eligibility. A product that is not a subscription has no introductory offer and is
    /// `ineligible`. A subscription without an answer is `unknown`.
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
    func form(of product: EncodedProduct) -> ForwardedProduct {
        product[eligibility(of: product.productIdentifier, product.type)]
    }

    /// Adds the eligibility to one product that is forwarded unchanged.
    func apply(to json: RawJSON, _ productIdentifier: String, _ type: ProductType) -> ForwardedProduct {
        ForwardedProduct(json, eligibility(of: productIdentifier, type))
    }

    private func eligibility(of productIdentifier: String, _ type: ProductType) -> OfferEligibility {
        guard type == .autoRenewable else { return .ineligible }
        if let known { return known[productIdentifier] ?? .unknown }
        return reply?.eligibility.first { $0.productIdentifier.isExactly(productIdentifier) }?.eligibility ?? .unknown
    }

    /// Names of services missing from a response. Empty when no product is a subscription.
    func degraded(for types: [ProductType]) -> [String] { types.contains(.autoRenewable) ? degraded : [] }
}
