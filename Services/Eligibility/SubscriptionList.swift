import StoreModels

/// An app's subscriptions as one storefront sells them, at one version of the catalogue.
struct SubscriptionList: Sendable {
    /// In the catalogue's order, what cannot be bought too.
    let all: [SubscriptionProduct]
    /// Product → group.
    let groups: [String: String]

    init(_ all: [SubscriptionProduct]) {
        self.all = all
        groups = Dictionary(
            all.map { ($0.productIdentifier, $0.subscriptionGroupIdentifier) }, uniquingKeysWith: { first, _ in first })
    }

    /// What can be bought: all of it, or what is asked for, each once.
    func offered(_ identifiers: [String]?) -> [SubscriptionProduct] {
        let available = all.lazy.filter(\.isAvailable)
        guard let identifiers else { return Array(available) }
        var wanted = Set(identifiers)
        let byIdentifier = Dictionary(
            available.filter { wanted.contains($0.productIdentifier) }.map { ($0.productIdentifier, $0) },
            uniquingKeysWith: { first, _ in first })
        return identifiers.compactMap { wanted.remove($0).flatMap { byIdentifier[$0] } }
    }
}
