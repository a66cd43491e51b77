import StoreModels

/// `{"products":[…],"after":"com.example.b"}`
struct ProductList: Encodable {
    var products: [Product]
    var after: String?
}
