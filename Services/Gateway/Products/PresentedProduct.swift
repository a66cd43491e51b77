import StoreModels

/// A product as Catalog presents it. The gateway reads two members and forwards the rest unchanged.
struct PresentedProduct: Hashable, Sendable, Codable {
    let json: RawJSON
    let productIdentifier: String
    let type: ProductType

    /// - Throws: `internal` for a product that cannot be encoded, which cannot happen.
    init(_ product: Product) throws(StoreError) {
        guard let json = try? RawJSON(encoding: product) else {
            throw StoreError(.internal, "a product has no JSON form")
        }
        self.json = json
        productIdentifier = product.productIdentifier
        type = product.type
    }

    private enum CodingKeys: String, CodingKey { case productIdentifier, type }

    init(from decoder: any Decoder) throws {
        json = try RawJSON(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        productIdentifier = try container.decode(String.self, forKey: .productIdentifier)
        type = try container.decode(ProductType.self, forKey: .type)
    }

    func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}
