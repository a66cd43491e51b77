import StoreModels

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
