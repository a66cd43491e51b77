import StoreModels

/// The promoted products of an app in one storefront, to be arranged for any device.
struct PromotedListing: Sendable {
    typealias Reply = PromotedProductsReplyOf<PromotedProduct>

    private let arrangement: PromotionArrangement
    /// The app's entries of the featured tab, in its order.
    let featured: [String]
    let appName: String
    /// The promoted subscriptions, for the request to Eligibility.
    let subscriptions: [String]
    private let products: [ExactText: StorePageProduct]
    /// The page of a device without overrides.
    private let unchanged: [StorePageProduct]

    init(_ reply: Reply) {
        arrangement = PromotionArrangement(
            promoted: reply.products.map(\.productIdentifier), hidden: reply.hiddenProductIdentifiers)
        featured = reply.featuredProductIdentifiers
        appName = reply.appName
        subscriptions = reply.products.filter { $0.type == .autoRenewable }.map(\.productIdentifier)
        let products = Dictionary(exactly: reply.products.map { ($0.productIdentifier, StorePageProduct($0)) })
        self.products = products
        unchanged = arrangement.shown().compactMap { products[$0] }
    }

    /// Returns the products that a device shows, in its order.
    func products(with overrides: PromotionOverrides) -> [StorePageProduct] {
        if overrides.order.isEmpty, overrides.visibility.isEmpty { return unchanged }
        return arrangement.shown(with: overrides).compactMap { products[$0] }
    }
}

/// A promoted product with its JSON for clients, prepared once for all pages.
struct StorePageProduct: Sendable {
    let listed: PromotedProduct
    let shown: EncodedProduct

    init(_ product: PromotedProduct) {
        listed = product
        shown = EncodedProduct(product.json, product.productIdentifier, product.type)
    }

    var productIdentifier: String { shown.productIdentifier }
    var type: ProductType { shown.type }
}

/// A promoted product as Catalog presents it. The gateway reads the members it sorts and searches by, and forwards the
/// rest unchanged.
struct PromotedProduct: Hashable, Sendable, Codable {
    let json: RawJSON
    let productIdentifier: String
    let type: ProductType
    let localizedTitle: String
    let localizedDescription: String

    private enum CodingKeys: String, CodingKey { case productIdentifier, type, localizedTitle, localizedDescription }

    init(from decoder: any Decoder) throws {
        json = try RawJSON(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        productIdentifier = try container.decode(String.self, forKey: .productIdentifier)
        type = try container.decode(ProductType.self, forKey: .type)
        localizedTitle = try container.decode(String.self, forKey: .localizedTitle)
        localizedDescription = try container.decode(String.self, forKey: .localizedDescription)
    }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
