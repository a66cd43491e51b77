import StoreModels

/// The body of `PUT /v1/promotions/order`: `{"productIdentifiers":["com.example.b","com.example.a"]}`; empty clears.
struct NewOrder: Decodable {
    var productIdentifiers: [String]

    /// - Throws: `requestInvalid` for too many products, and for one listed twice.
    func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers, at: "$.productIdentifiers")
        var seen: Set<ExactText> = []
        for (index, product) in productIdentifiers.enumerated() where !seen.insert(product).inserted {
            throw .invalid("$.productIdentifiers[\(index)]", "is listed twice")
        }
    }
}

/// `{"productIdentifiers":[…],"products":[…]}`: exactly the identifiers that were set (M101), and the whole products,
/// without those the catalogue no longer has.
struct OrderAnswer: Encodable {
    var productIdentifiers: [String]
    var products: [RawJSON.Extended]
}
