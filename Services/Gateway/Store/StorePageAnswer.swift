import StoreModels

/// `{"promotions":[{"product":{…},"owned":false}],"degraded":[]}`
struct StorePageAnswer: Encodable {
    var promotions: [Promotion]
    var degraded: [String]
}
