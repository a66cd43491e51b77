import StoreModels

/// Keys of an app, and of the account, which serve all its apps.
package enum KeyRoutes {
    /// Creates a key of the account; its secret is in this response only.
    package static let createForAccount = HTTPEndpoint<KeyRequest, NewKeyResponse>(
        .post, "/admin/v1/keys", .admin)
    /// Lists the account's keys without their secrets.
    package static let listOfAccount = HTTPEndpoint<Empty, KeysResponse>(.get, "/admin/v1/keys", .admin)
    /// Revokes a key of the account at once.
    package static let revokeOfAccount = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/keys/{keyIdentifier}", .admin)
    /// Creates a key; its secret is in this response only.
    package static let create = HTTPEndpoint<KeyRequest, NewKeyResponse>(
        .post, "/admin/v1/apps/{bundleId}/keys", .admin)
    /// Lists an app's keys without their secrets.
    package static let list = HTTPEndpoint<Empty, KeysResponse>(
        .get, "/admin/v1/apps/{bundleId}/keys", .admin)
    /// The same as ``revoke``, with the identifier in the query.
    package static let revokeByQuery = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/apps/{bundleId}/keys", .admin, query: ["keyIdentifier"])
    /// Revokes a key at once; a revoked key cannot come back.
    package static let revoke = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/apps/{bundleId}/keys/{keyIdentifier}", .admin)

    static let all: [HTTPRoute] = [
        createForAccount.route, listOfAccount.route, revokeOfAccount.route, create.route, list.route,
        revokeByQuery.route, revoke.route,
    ]
}
