/// Asks for a page of subscriptions: `{"bundleId":"com.example.app","storefront":"FRA","limit":500}`
public struct SubscriptionProductsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Alpha-3 country code. It decides only `isAvailable`.
    public var storefront: String
    /// The last product's identifier of the page before.
    public var after: String?
    /// 1…500.
    public var limit: Int = 500
}

/// A subscription's group, the data that decisions about offers need:
/// `{"productIdentifier":"com.example.pro.monthly","subscriptionGroupIdentifier":"21378123","isAvailable":true}`
public struct SubscriptionProduct: Hashable, Sendable, Codable {
    /// At most 100 characters.
    public var productIdentifier: String
    /// The group in the catalogue in force, which an import may change.
    public var subscriptionGroupIdentifier: String
    /// Whether it can be bought in the storefront now. A subscription bought before belongs to its group in any case.
    public var isAvailable: Bool
}

/// A page of subscriptions in the catalogue's order, for sale or not.
public struct SubscriptionProductsPage: Hashable, Sendable, Codable {
    /// In the catalogue's order, at most the request's `limit`.
    public var subscriptions: [SubscriptionProduct]
    /// The next page's `after`, absent on the last page.
    public var after: String?
    /// As ``AppVersion/catalogVersion``.
    public var catalogVersion: Int64
}
