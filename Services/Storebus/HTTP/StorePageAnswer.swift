import StoreModels

/// What the store shows on a device: `{"promotions":[{"product":{…},"owned":false}],"degraded":["eligibility"]}`
package struct StorePageAnswer: Hashable, Sendable, Codable {
    package var promotions: [Promotion]
    /// What it had to do without.
    package var degraded: [String]

    package init(promotions: [Promotion], degraded: [String] = []) {
        self.promotions = promotions
        self.degraded = degraded
    }
}
