import StoreModels

/// A price: one number for all storefronts, and separate prices for some of them.
struct StorefrontPrices: Hashable, Sendable {
    /// The same number in every storefront's currency; amounts are never converted (M11).
    let base: DecimalAmount
    /// Separate prices by country code, in that storefront's currency.
    let own: [String: Money]

    init(_ base: DecimalAmount, own: [String: Money] = [:]) {
        self.base = base
        self.own = own
    }

    static let free = StorefrontPrices(.zero)

    func money(in entry: StorefrontEntry) -> Money {
        own[entry.storefront.countryCode] ?? base.money(in: entry.currency)
    }
}
