import StoreModels

/// An app's subscriptions as one storefront sells them, at one version of the catalogue.
struct SubscriptionList: Sendable {
    /// In the catalogue's order, what cannot be bought too.
    let all: [SubscriptionProduct]
    /// Product → group.
    let groups: [ExactText: String]
    /// Where what can be bought stands in `all`: a question about ten products costs the same in any catalogue.
    private let places: [ExactText: Int]

    init(_ all: [SubscriptionProduct]) {
        self.all = all
        places = Dictionary(
            exactly: all.indices.lazy.filter { all[$0].isAvailable }.map { (all[$0].productIdentifier, $0) })
        groups = Dictionary(exactly: all.map { ($0.productIdentifier, $0.subscriptionGroupIdentifier) })
    }

    /// What can be bought: all of it, or what is asked for, each once.
    func offered(_ identifiers: [String]?) -> [SubscriptionProduct] {
        guard let identifiers else { return all.filter(\.isAvailable) }
        var answered: Set<Int> = []
        return identifiers.compactMap { identifier in
            guard let place = places[identifier], answered.insert(place).inserted else { return nil }
            return all[place]
        }
    }
}
