import StoreModels

/// The body of `POST /v1/products/query`: `{"productIdentifiers":["a","b"]}`.
struct ProductsQuery: Decodable {
    var productIdentifiers: [String]
}

/// `{"products":[…],"invalidProductIdentifiers":["x"],"degraded":[]}`
struct ProductsAnswer: Encodable {
    var products: [RawJSON.Extended]
    var invalidProductIdentifiers: [String]
    var degraded: [String]
}
