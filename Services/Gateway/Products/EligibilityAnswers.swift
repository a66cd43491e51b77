import StoreModels

/// What Eligibility answered, or that it did not, to be put on products.
struct EligibilityAnswers: Sendable {
    /// Nil when Eligibility is away.
    let reply: EligibilityReply?

    init(_ reply: EligibilityReply?) {
        self.reply = reply
    }

    /// The services these answers do without.
    var degraded: [String] { reply?.degraded ?? [ServiceName.eligibility].compactMap(\.degradedName) }

    /// The products with each one's eligibility. A product that is no subscription has no introductory offer, so nobody
    /// is eligible for it; a subscription nobody can say anything about is `unknown`.
    func apply(to products: [Product]) -> (products: [Product], degraded: [String]) {
        let known = Dictionary(
            (reply?.eligibility ?? []).map { ($0.productIdentifier, $0.eligibility) },
            uniquingKeysWith: { first, _ in first })
        let answered = products.map { product in
            var product = product
            product.introductoryOfferEligibility =
                product.type == .autoRenewable ? known[product.productIdentifier] ?? .unknown : .ineligible
            return product
        }
        // Nothing is missing from an answer that has no subscription in it.
        return (answered, products.contains { $0.type == .autoRenewable } ? degraded : [])
    }
}
