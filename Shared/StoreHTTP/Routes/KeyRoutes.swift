import StoreModels

/// Keys of an app, and of the account, which serve all its apps.
package enum KeyRoutes {
    /// Creates a key of the account. Its secret is in this response only.
    ///
    /// The key serves every app, and the `bid` of a token names the app. It signs offers, too.
    package static let createForAccount = HTTPEndpoint<KeyRequest, NewKeyResponse>(
        "createAccountKey", .post, "/admin/v1/keys", .admin,
        content: .narrowed([
            "properties": ["kind": ["const": "inAppPurchase"]], "examples": [["kind": "inAppPurchase"]],
        ]),
        responses: [
            .created(links: [
                Link(
                    "delete", to: "deleteAccountKey", ["keyIdentifier": "$response.body#/keyIdentifier"], "Take it back"
                ), Link("list", to: "listAccountKeys", [:], "All"),
            ])
        ], errors: [.notFound, .tooManyKeys])
    /// Lists the account's keys without their secrets.
    package static let listOfAccount = HTTPEndpoint<Empty, KeysResponse>(
        "listAccountKeys", .get, "/admin/v1/keys", .admin,
        errors: [.notFound])
    /// Revokes a key of the account at once.
    package static let revokeOfAccount = HTTPEndpoint<Empty, NoContent>(
        "deleteAccountKey", .delete, "/admin/v1/keys/{keyIdentifier}", .admin)
    /// Creates a key. Its secret is in this response only.
    package static let create = HTTPEndpoint<KeyRequest, NewKeyResponse>(
        "createKey", .post, "/admin/v1/apps/{bundleId}/keys", .admin,
        responses: [
            .created(links: [
                Link(
                    "delete", to: "deleteKey",
                    ["bundleId": "$request.path.bundleId", "keyIdentifier": "$response.body#/keyIdentifier"],
                    "Take it back"), Link("list", to: "listKeys", ["bundleId": "$request.path.bundleId"], "All"),
            ])
        ], errors: [.tooManyKeys])
    /// Lists an app's keys without their secrets.
    package static let list = HTTPEndpoint<Empty, KeysResponse>(
        "listKeys", .get, "/admin/v1/apps/{bundleId}/keys", .admin)
    /// Revokes the key that the query names at once.
    package static let revokeByQuery = HTTPEndpoint<Empty, NoContent>(
        "deleteKeyByQuery", .delete, "/admin/v1/apps/{bundleId}/keys", .admin,
        parameters: [.keyIdentifier])
    /// Revokes a key at once. A revoked key cannot come back.
    package static let revoke = HTTPEndpoint<Empty, NoContent>(
        "deleteKey", .delete, "/admin/v1/apps/{bundleId}/keys/{keyIdentifier}", .admin)
}

/// The body of `POST /admin/v1/apps/{bundleId}/keys`: `{"kind":"api"}`, and of `POST /admin/v1/keys`, where the kind is
/// `inAppPurchase`.
package struct KeyRequest: Hashable, Sendable, Codable {
    /// The purpose of the new key. It cannot be changed later.
    package var kind: KeyKind
}

/// A key without its secret: `{"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z"}`.
package struct AppKey: Hashable, Sendable, Codable {
    /// Ten capital letters and digits, chosen by the gateway.
    package var keyIdentifier: String
    /// The purpose of the key.
    package var kind: String
    /// The time of creation by the wall clock.
    package var createdAt: Timestamp

    package init(keyIdentifier: String, kind: KeyKind, createdAt: Timestamp) {
        self.keyIdentifier = keyIdentifier
        self.kind = kind.rawValue
        self.createdAt = createdAt
    }
}

/// The response of `GET /admin/v1/apps/{bundleId}/keys` and `GET /admin/v1/keys`: `{"keys":[…]}`, oldest first.
package struct KeysResponse: Hashable, Sendable, Codable {
    /// The keys of the app, or of the account, oldest first.
    package var keys: [AppKey]
}

/// The response that has created a key, the only one with the secret:
///
/// ```json
/// {"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z","secret":"sbk_7K2M…"}
/// ```
package struct NewKeyResponse: Hashable, Sendable, Codable {
    /// Ten capital letters and digits, chosen by the gateway.
    package var keyIdentifier: String
    /// The purpose of the key.
    package var kind: String
    /// The time of creation by the wall clock.
    package var createdAt: Timestamp
    /// The text the app's server sends, or the private key as PEM. It is shown in this response only.
    package var secret: String
    /// PEM of a `subscriptionOffer` or `inAppPurchase`. Absent for other kinds.
    package var publicKey: String?
    /// The `iss` of tokens, one for the store. Present only for an `inAppPurchase`.
    package var issuerId: String?
    /// The `bid` of tokens. Present only for an `inAppPurchase` of one app.
    package var bundleId: String?

    package init(_ key: AppKey, secret: String, publicKey: String?) {
        keyIdentifier = key.keyIdentifier
        kind = key.kind
        createdAt = key.createdAt
        self.secret = secret
        self.publicKey = publicKey
    }
}
