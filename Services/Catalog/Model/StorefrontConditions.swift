import StoreModels

/// The storefronts that sell a product, a catalogue file's `availability`.
enum StorefrontSelection: Hashable, Sendable {
    /// Without `availability`: every storefront, including those the App Store opens later.
    case all
    /// A list: only these.
    case only(Set<String>)
    /// An object's `false`: every storefront except these.
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
