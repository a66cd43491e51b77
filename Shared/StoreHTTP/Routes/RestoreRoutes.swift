/// Restores of completed transactions.
package enum RestoreRoutes {
    package static let start = HTTPRoute(.post, "/v1/restore", .app, idempotencyKey: .required)
    package static let get = HTTPRoute(.get, "/v1/restores/{restoreIdentifier}", .app)

    static let all: [HTTPRoute] = [start, get]
}
