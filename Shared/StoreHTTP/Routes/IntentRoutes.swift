import StoreModels

/// Purchases that begin in the store.
package enum IntentRoutes {
    package static let list = HTTPEndpoint<Empty, IntentsPage>(
        .get, "/v1/intents", .app, query: ["state", "after", "limit"])
    package static let get = HTTPEndpoint<Empty, PurchaseIntent>(
        .get, "/v1/intents/{id}", .app)
    package static let decide = HTTPEndpoint<DecisionRequest, IntentDecisionResponse>(
        .post, "/v1/intents/{id}/decision", .app)
    package static let search = HTTPEndpoint<Empty, IntentsPage>(
        .get, "/admin/v1/intents", .admin, query: ["bundleId", "account", "deviceId", "state", "after", "limit"])

    static let all: [HTTPRoute] = [
        list.route, get.route, decide.route, search.route,
    ]
}
