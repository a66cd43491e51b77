/// Purchases that begin in the store.
package enum IntentRoutes {
    package static let list = HTTPRoute(.get, "/v1/intents", .app, query: ["state", "after", "limit"])
    package static let get = HTTPRoute(.get, "/v1/intents/{id}", .app)
    package static let decide = HTTPRoute(.post, "/v1/intents/{id}/decision", .app)
    package static let search = HTTPRoute(
        .get, "/admin/v1/intents", .admin, query: ["bundleId", "account", "deviceId", "state", "after", "limit"])

    static let all: [HTTPRoute] = [list, get, decide, search]
}
