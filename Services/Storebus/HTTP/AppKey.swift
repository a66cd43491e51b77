import StoreModels

/// `{"keyIdentifier":"…","kind":"api","createdAt":"…"}`
package struct AppKey: Hashable, Sendable, Codable {
    package static let kinds = ["api", "sharedSecret", "subscriptionOffer"]

    package var keyIdentifier: String
    /// One of ``kinds``.
    package var kind: String
    package var createdAt: Timestamp

    package init(keyIdentifier: String, kind: String, createdAt: Timestamp) {
        self.keyIdentifier = keyIdentifier
        self.kind = kind
        self.createdAt = createdAt
    }
}

/// `{"keys":[…]}`
package struct AppKeys: Hashable, Sendable, Codable {
    package var keys: [AppKey]
}
