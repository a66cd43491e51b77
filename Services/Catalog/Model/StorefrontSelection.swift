/// The storefronts that sell a product, a catalogue file's `availability`.
enum StorefrontSelection: Hashable, Sendable {
    /// Nothing is said: every storefront, also those the App Store opens later.
    case all
    /// A list: these and no others.
    case only(Set<String>)
    /// An object's `false`: every storefront but these.
    case except(Set<String>)

    func contains(_ countryCode: String) -> Bool {
        switch self {
        case .all: true
        case .only(let codes): codes.contains(countryCode)
        case .except(let codes): !codes.contains(countryCode)
        }
    }
}
