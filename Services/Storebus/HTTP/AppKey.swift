import StoreModels

/// `{"keyIdentifier":"…","kind":"api","createdAt":"…"}`
struct AppKey: Hashable, Sendable, Codable {
    static let kinds = ["api", "sharedSecret", "subscriptionOffer"]

    var keyIdentifier: String
    /// One of ``kinds``.
    var kind: String
    var createdAt: Timestamp
}

/// `{"keys":[…]}`
struct AppKeys: Hashable, Sendable, Codable {
    var keys: [AppKey]
}
