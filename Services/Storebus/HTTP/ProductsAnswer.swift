import StoreModels

/// `{"products":[…],"invalidProductIdentifiers":["…"],"degraded":["eligibility"]}`
package struct ProductsAnswer: Hashable, Sendable, Codable {
    package var products: [Product]
    package var invalidProductIdentifiers: [String]
    /// What the answer had to do without.
    package var degraded: [String]
}

/// A page of the operator's list: `{"products":[…],"after":"com.example.b"}`
package struct ProductsPageAnswer: Hashable, Sendable, Codable {
    package var products: [Product]
    /// The next page's; absent on the last.
    package var after: String?
}
