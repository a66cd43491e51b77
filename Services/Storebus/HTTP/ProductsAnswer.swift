import StoreModels

/// `{"products":[…],"invalidProductIdentifiers":["…"],"degraded":["eligibility"]}`
package struct ProductsAnswer: Hashable, Sendable, Codable {
    package var products: [Product]
    package var invalidProductIdentifiers: [String]
    /// What the answer had to do without.
    package var degraded: [String]

    package init(products: [Product], invalidProductIdentifiers: [String], degraded: [String]) {
        self.products = products
        self.invalidProductIdentifiers = invalidProductIdentifiers
        self.degraded = degraded
    }
}

/// A page of the operator's list: `{"products":[…],"after":"com.example.b"}`
package struct ProductsPageAnswer: Hashable, Sendable, Codable {
    package var products: [Product]
    /// The next page's; absent on the last.
    package var after: String?

    package init(products: [Product], after: String? = nil) {
        self.products = products
        self.after = after
    }
}
