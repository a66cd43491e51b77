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
