import StoreHTTP
import StoreModels

/// The store's content for an app on one device. Page, search and featured tab are views of it, so that a hidden
/// product is hidden in each (M90).
struct StorePage: Sendable {
    /// Visible products in this device's order.
    let products: [StorePageProduct]
    let appName: String
    private let featuredIdentifiers: [String]
    private let storeCustomer: StorePageCustomer?
    private let eligibility: EligibilityResults
    private let isOperatorsOrder: Bool

    /// - Parameters:
    ///   - device: The device's overrides. Nil without PromotionController, and then the operator's order applies.
    ///   - isUnsupported: The session's answer for a device that PromotionController does not know, or is not asked
    ///     about.
    ///   - storeCustomer: The customer's purchases. Nil without PaymentQueue, and then ownership is unknown.
    init(
        _ listing: PromotedListing, device: DevicePromotions?, isUnsupported: Bool, storeCustomer: StorePageCustomer?,
        eligibility: EligibilityResults
    ) {
        let showsNothing = device.map { $0.isKnown ? $0.unsupported != nil : isUnsupported } ?? isUnsupported
        products = showsNothing ? [] : listing.products(with: device?.overrides ?? PromotionOverrides())
        appName = listing.appName
        featuredIdentifiers = listing.featured
        self.storeCustomer = storeCustomer
        self.eligibility = eligibility
        isOperatorsOrder = device == nil
    }

    /// The app's featured products that are on the device's page, in the tab's order.
    var featured: [StorePageProduct] {
        featuredIdentifiers.compactMap { identifier in products.first { $0.productIdentifier.isExactly(identifier) } }
    }

    /// Products of the page that match a search, in the page's order.
    func products(matching words: SearchWords) -> [StorePageProduct] {
        products.filter { product in
            let listed = product.listed
            return words.match(
                [listed.localizedTitle, listed.localizedDescription, listed.productIdentifier, appName])
        }
    }

    func answer(_ products: [StorePageProduct]) -> StorePageResponse<ForwardedPromotion> {
        StorePageResponse(
            promotions: products.map { product in
                ForwardedPromotion(product: eligibility.form(of: product.shown), owned: owns(product))
            }, degraded: degraded(for: products))
    }

    /// Whether the customer owns the product. Nil when it is unknown. Consumables are used up, and the app tracks the
    /// time of non-renewing subscriptions, so neither is ever owned.
    private func owns(_ product: StorePageProduct) -> Bool? {
        guard let storeCustomer else { return nil }
        return product.type.isRestorable ? storeCustomer.owns(product.productIdentifier) : false
    }

    /// Names of the services missing from this view.
    private func degraded(for products: [StorePageProduct]) -> [String] {
        var names = Set(eligibility.degraded(for: products.map(\.type)))
        if isOperatorsOrder { names.formUnion([ServiceName.promotionController].compactMap(\.degradedName)) }
        if storeCustomer == nil { names.formUnion([ServiceName.paymentQueue].compactMap(\.degradedName)) }
        return names.sorted()
    }
}

/// An entry of the store page, as ``Promotion``. The product is forwarded unchanged.
struct ForwardedPromotion: JSONForm, Encodable {
    typealias Body = Promotion

    var product: ForwardedProduct
    /// Null when it is unknown.
    var owned: Bool?

    private enum CodingKeys: String, CodingKey { case product, owned }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(product, forKey: .product)
        try container.encode(owned, forKey: .owned)
    }
}

extension StorePageResponse: WrittenForm where Entry == ForwardedPromotion {
    func written() throws -> [UInt8] {
        var json = JSONPieces(capacity: promotions.reduce(64) { $0 + $1.product.bytes.count + 32 })
        json.append(#"{"degraded":"#)
        try json.append(degraded)
        json.append(#","promotions":["#)
        for (index, promotion) in promotions.enumerated() {
            json.append(index == 0 ? #"{"owned":"# : #",{"owned":"#)
            json.append(promotion.owned.map { $0 ? "true" : "false" } ?? "null")
            json.append(#","product":"#)
            json.append(promotion.product.bytes)
            json.append("}")
        }
        json.append("]}")
        return json.bytes
    }
}
