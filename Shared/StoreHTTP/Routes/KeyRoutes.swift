import StoreModels

/// Keys of an app.
package enum KeyRoutes {
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

    static let all: [HTTPRoute] = [create.route, list.route, revokeByQuery.route, revoke.route]
}
