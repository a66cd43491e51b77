import StoreModels

/// What the store shows on a device: `{"promotions":[{"product":{…},"owned":false}],"degraded":["eligibility"]}`
struct StorePageAnswer: Hashable, Sendable, Codable {
    var promotions: [Promotion]
    /// What it had to do without.
    var degraded: [String] = []
}
