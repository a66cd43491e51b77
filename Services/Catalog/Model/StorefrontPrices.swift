import StoreModels

/// What something costs: one number for all storefronts, and a price of their own for some of them.
struct StorefrontPrices: Hashable, Sendable {
    /// The same number in every storefront's own currency; nothing is ever converted (M11).
    let base: DecimalAmount
    /// By country code, in that storefront's currency.
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
