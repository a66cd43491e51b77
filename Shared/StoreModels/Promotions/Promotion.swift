/// One entry of the store page, search or featured tab, assembled by the gateway:
///
/// ```json
/// {"product":{…},"owned":false}
/// ```
/// `owned` is whether the customer has the non-consumable or an unexpired subscription. Null if PaymentQueue is away.
public struct Promotion: Hashable, Sendable, Codable {
    /// Priced for the customer's storefront.
    public var product: Product
    /// Encoded as null when it is not known.
    public var owned: Bool?

    private enum CodingKeys: String, CodingKey { case product, owned }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(product, forKey: .product)
        try container.encode(owned, forKey: .owned)
    }
}
