import StoreModels

/// `{"promotions":[{"product":{…},"owned":false}],"degraded":[]}`
struct StorePageAnswer: Encodable {
    /// An entry as ``Promotion``, whose product is forwarded unchanged.
    struct Entry: Encodable {
        var product: RawJSON.Extended
        /// Null when it is unknown.
        var owned: Bool?

        private enum CodingKeys: String, CodingKey { case product, owned }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(product, forKey: .product)
            try container.encode(owned, forKey: .owned)
        }
    }

    var promotions: [Entry]
    var degraded: [String]
}
