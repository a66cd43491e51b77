import StoreModels

/// What the store on one device shows of an app, once everybody has answered. Page, search and featured tab are views of
/// it, so that what is hidden is hidden everywhere (M90).
struct StoreShelf: Sendable {
    /// In this device's order, visible ones only.
    let products: [PromotedProduct]
    let appName: String
    private let featuredIdentifiers: [String]
    private let standing: CustomerStanding?
    private let eligibility: EligibilityAnswers
    private let isOperatorsOrder: Bool

    /// - Parameters:
    ///   - device: What the device has set; nil without PromotionController, and then it is the operator's page.
    ///   - isUnsupported: What the session says of a device that PromotionController does not know, or is not asked about.
    ///   - standing: nil without PaymentQueue, and then nobody knows what the customer owns.
    init(
        _ listing: PromotedListing, device: DevicePromotions?, isUnsupported: Bool, standing: CustomerStanding?,
        eligibility: EligibilityAnswers
    ) {
        let showsNothing = device.map { $0.isKnown ? $0.unsupported != nil : isUnsupported } ?? isUnsupported
        let shown = showsNothing ? [] : listing.arrangement.shown(with: device?.overrides ?? PromotionOverrides())
        products = shown.compactMap { listing[$0] }
        appName = listing.appName
        featuredIdentifiers = listing.featured
        self.standing = standing
        self.eligibility = eligibility
        isOperatorsOrder = device == nil
    }

    /// The app's entries of the featured tab that stand on the device's page, in the tab's order.
    var featured: [PromotedProduct] {
        featuredIdentifiers.compactMap { identifier in products.first { $0.productIdentifier.isExactly(identifier) } }
    }

    /// What a search finds of the page, in its order.
    func products(matching words: SearchWords) -> [PromotedProduct] {
        products.filter { product in
            words.match([product.localizedTitle, product.localizedDescription, product.productIdentifier, appName])
        }
    }

    func answer(_ products: [PromotedProduct]) -> StorePageAnswer {
        StorePageAnswer(
            promotions: products.map { product in
                StorePageAnswer.Entry(
                    product: eligibility.apply(to: product.json, product.productIdentifier, product.type),
                    owned: owns(product))
            }, degraded: degraded(for: products))
    }

    /// Whether the customer has the product; nil when it cannot be said. Consumables are used up, and what does not renew
    /// keeps its own time in the app, so neither is ever owned.
    private func owns(_ product: PromotedProduct) -> Bool? {
        guard let standing else { return nil }
        return product.type.isRestorable ? standing.owns(product.productIdentifier) : false
    }

    /// Whom this view does without, by name.
    private func degraded(for products: [PromotedProduct]) -> [String] {
        var names = Set(eligibility.degraded(for: products.map(\.type)))
        if isOperatorsOrder { names.formUnion([ServiceName.promotionController].compactMap(\.degradedName)) }
        if standing == nil { names.formUnion([ServiceName.paymentQueue].compactMap(\.degradedName)) }
        return names.sorted()
    }
}
