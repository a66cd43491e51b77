import StoreModels

/// Restores of completed transactions.
package enum RestoreRoutes {
    package static let start = HTTPEndpoint<NewRestore, RestoreAccepted>(
        .post, "/v1/restore", .app, idempotencyKey: .required, isBodyOptional: true)
    package static let get = HTTPEndpoint<Empty, Restore>(
        .get, "/v1/restores/{restoreIdentifier}", .app)

    static let all: [HTTPRoute] = [
        start.route, get.route,
    ]
}
