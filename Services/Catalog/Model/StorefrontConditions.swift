import StoreModels

/// The storefronts that sell a product, a catalogue file's `availability`.
enum StorefrontSelection: Hashable, Sendable {
    /// Every storefront, including those that the App Store opens later. The value without `availability`.
    case all
    /// Only these storefronts, from a list.
    case only(Set<String>)
    /// Every storefront except these, from an object's `false`.
    case except(Set<String>)

    func contains(_ countryCode: String) -> Bool {
        switch self {
        case .all: true
        case .only(let codes): codes.contains(countryCode)
        case .except(let codes): !codes.contains(countryCode)
        }
    }
}

/// A price: one number for all storefronts, and separate prices for some of them.
struct StorefrontPrices: Hashable, Sendable {
    /// The number that applies in every storefront's currency. Amounts are never converted (M11).
    let base: DecimalAmount
    /// The separate prices by country code, in that storefront's currency.
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
