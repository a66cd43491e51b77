import StoreModels

/// `{"products":[…],"invalidProductIdentifiers":["…"],"degraded":["eligibility"]}`
struct ProductsAnswer: Hashable, Sendable, Codable {
    var products: [Product]
    var invalidProductIdentifiers: [String]
    /// What the answer had to do without.
    var degraded: [String]
}

/// A page of the operator's list: `{"products":[…],"after":"com.example.b"}`
struct ProductsPageAnswer: Hashable, Sendable, Codable {
    var products: [Product]
    /// The next page's; absent on the last.
    var after: String?
}
