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

    static let all: [any HTTPOperation] = [
        createForAccount, listOfAccount, revokeOfAccount, create, list,
        revokeByQuery, revoke,
    ]
}
