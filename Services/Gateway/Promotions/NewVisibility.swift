import StoreModels

/// The body of `PUT /v1/promotions/visibility/{productIdentifier}`: `{"visibility":"hide"}`; `default` removes the
/// override (M93).
struct NewVisibility: Decodable {
    var visibility: StorePromotionVisibility
}

/// `{"productIdentifier":"com.example.pro","visibility":"hide","products":[…]}`: the device's override for one product
/// (M87), and the whole product.
struct VisibilityAnswer: Encodable {
    var productIdentifier: String
    var visibility: StorePromotionVisibility
    var products: [RawJSON.Extended]
}
