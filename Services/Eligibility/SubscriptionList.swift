import StoreModels

/// An app's subscriptions in one storefront, at one version of the catalogue.
struct SubscriptionList: Sendable {
    /// All subscriptions in the catalogue's order, including those that cannot be bought.
    let all: [SubscriptionProduct]
    /// The group of each product identifier.
    let groups: [ExactText: String]
    /// Positions of available products in `all`. They keep a request's cost independent of the catalogue's size.
    private let positions: [ExactText: Int]

    init(_ all: [SubscriptionProduct]) {
        self.all = all
        positions = Dictionary(
            exactly: all.indices.lazy.filter { all[$0].isAvailable }.map { (all[$0].productIdentifier, $0) })
        groups = Dictionary(exactly: all.map { ($0.productIdentifier, $0.subscriptionGroupIdentifier) })
    }

    /// Returns the products that can be bought: all of them, or the requested ones without duplicates.
    func offered(_ identifiers: [String]?) -> [SubscriptionProduct] {
        guard let identifiers else { return all.filter(\.isAvailable) }
        var answered: Set<Int> = []
        return identifiers.compactMap { identifier in
            guard let position = positions[identifier], answered.insert(position).inserted else { return nil }
            return all[position]
        }
    }
}
