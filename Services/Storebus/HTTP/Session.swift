import StoreModels

/// What `POST /v1/sessions` answers.
package struct Session: Hashable, Sendable, Codable {
    package var token: String
    package var expiresAt: Timestamp
    package var storefront: Storefront
    package var canMakePayments: Bool

    package init(token: String, expiresAt: Timestamp, storefront: Storefront, canMakePayments: Bool) {
        self.token = token
        self.expiresAt = expiresAt
        self.storefront = storefront
        self.canMakePayments = canMakePayments
    }
}
