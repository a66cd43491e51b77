import StoreModels

/// What `POST /v1/sessions` answers.
struct Session: Hashable, Sendable, Codable {
    var token: String
    var expiresAt: Timestamp
    var storefront: Storefront
    var canMakePayments: Bool
}
