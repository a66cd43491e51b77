import StoreModels

/// The body of `PUT /v1/promotions/visibility/{productIdentifier}`: `{"visibility":"hide"}`; `default` takes the override
/// back (M93).
struct NewVisibility: Decodable {
    var visibility: StorePromotionVisibility
}

/// `{"productIdentifier":"com.example.pro","visibility":"hide","products":[…]}`: what the device has set for one product
/// (M87), and the product, whole.
struct VisibilityAnswer: Encodable {
    var productIdentifier: String
    var visibility: StorePromotionVisibility
    var products: [RawJSON.Extended]
}
