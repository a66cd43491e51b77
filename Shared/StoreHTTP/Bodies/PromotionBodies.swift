import StoreModels

/// The body of `PUT /v1/promotions/order`. An empty list clears the order:
///
/// ```json
/// {"productIdentifiers":["com.example.hiddenBeaches","com.example.pro.monthly"]}
/// ```
///
/// ```json
/// {"productIdentifiers":[]}
/// ```
package struct NewOrder: Hashable, Sendable, Codable {
    /// At most 500, first on the page. An empty list clears the order.
    package var productIdentifiers: [String]
}

/// The response of `GET` and `PUT /v1/promotions/order`: `{"productIdentifiers":[…],"products":[…]}`.
///
/// It has exactly the identifiers that were set (M101), and the whole products, without those the catalogue no longer
/// has. The gateway forwards each product's JSON, clients read it as `Product`.
package struct OrderResponse<Item: Sendable>: Sendable {
    /// Exactly as they were set.
    package var productIdentifiers: [String]
    /// In the same order, without products the catalogue no longer has.
    package var products: [Item]
}

extension OrderResponse: Encodable where Item: Encodable {}
extension OrderResponse: Decodable where Item: Decodable {}
extension OrderResponse: JSONForm where Item: JSONForm { package typealias Body = OrderResponse<Item.Body> }

/// The body of `PUT /v1/promotions/visibility/{productIdentifier}`: `{"visibility":"hide"}` or `{"visibility":"show"}`.
/// The value `default` removes the override (M93).
package struct NewVisibility: Hashable, Sendable, Codable {
    /// `default` removes the device's override.
    package var visibility: StorePromotionVisibility
}

/// The response of `GET` and `PUT /v1/promotions/visibility/{productIdentifier}`, the device's override for one product
/// (M87): `{"productIdentifier":"com.example.pro","visibility":"hide","products":[…]}`.
package struct VisibilityResponse<Item: Sendable>: Sendable {
    /// The product of the request's path.
    package var productIdentifier: String?
    /// The device's override, or `default` when it has none.
    package var visibility: StorePromotionVisibility
    /// The whole product.
    package var products: [Item]?
}

extension VisibilityResponse: Encodable where Item: Encodable {}
extension VisibilityResponse: Decodable where Item: Decodable {}
extension VisibilityResponse: JSONForm where Item: JSONForm { package typealias Body = VisibilityResponse<Item.Body> }

/// The body of an image's review, which may contain a reason or be empty: `{"reason":"The text cannot be read."}`.
package struct ReviewReason: Hashable, Sendable, Codable {
    /// 1…500 characters. Absent if no reason is given.
    package var reason: String?
}

/// The store on a device: `{"promotions":[{"product":{…},"owned":false}],"degraded":["eligibility"]}`.
///
/// The gateway forwards each product's JSON, clients read an entry as `Promotion`.
package struct StorePageResponse<Entry: Sendable>: Sendable {
    /// The page in the device's order, without hidden products.
    package var promotions: [Entry]
    /// Services the response had to do without.
    package var degraded: [String] = []
}

extension StorePageResponse: Encodable where Entry: Encodable {}
extension StorePageResponse: Decodable where Entry: Decodable {}
extension StorePageResponse: JSONForm where Entry: JSONForm { package typealias Body = StorePageResponse<Entry.Body> }

/// The body of `POST /v1/store-page/purchase`: `{"productIdentifier":"com.example.pro.monthly","source":"search"}`.
package struct StorePurchase: Hashable, Sendable, Codable {
    /// The view of the store in which the user taps Buy.
    package enum Source: String, CaseIterable, Hashable, Sendable, Codable { case storePage, search, featured }

    /// 1…255 characters. Only promoted products can be bought here.
    package var productIdentifier: String
    /// Left out, it is `storePage`.
    package var source: Source?
    /// A win-back offer of the product, by identifier.
    package var offer: String?
}

/// The body of `POST /v1/open-url`:
///
/// ```json
/// {"url":"itms-services://?action=purchaseIntent&bundleId=com.example.app&productIdentifier=com.example.pro.monthly"}
/// ```
package struct URLToOpen: Hashable, Sendable, Codable {
    /// At most 2048 bytes. Any fault in it is `urlInvalid`.
    package var url: String
}

/// The body of `POST /v1/intents/{id}/decision`: `{"decision":"continue"}` or
/// `{"decision":"cancel","feedback":"You own it already."}`.
package struct DecisionRequest: Hashable, Sendable, Codable {
    /// The first decision is final. Repeating it is not an error.
    package var decision: DecideIntentRequest.Decision
    /// Only with `cancel`: the app's message to the user (M85).
    package var feedback: String?
}

/// The response of `POST /v1/intents/{id}/decision`: `{"intent":{…},"transaction":{…}}`.
package struct IntentDecisionResponse: Hashable, Sendable, Codable {
    /// In the state after the decision.
    package var intent: StorePurchaseIntent
    /// Present for `continue` only, once PaymentQueue has it.
    package var transaction: PaymentTransaction?
}
