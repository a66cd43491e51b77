import StoreModels

/// Restores of completed transactions.
package enum RestoreRoutes {
    /// Begins a restore for the session's device; never a charge.
    package static let start = HTTPEndpoint<NewRestore, RestoreAccepted>(
        .post, "/v1/restore", .app, idempotencyKey: .required, isBodyOptional: true, urgency: .completion)
    /// Reads the progress of a restore of the session's device.
    package static let get = HTTPEndpoint<Empty, Restore>(
        .get, "/v1/restores/{restoreIdentifier}", .app)

    static let all: [HTTPRoute] = [
        start.route, get.route,
    ]
}
