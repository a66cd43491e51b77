import StoreModels

/// Purchases that begin in the store.
package enum IntentRoutes {
    /// Lists the intents of the session's device and customer.
    package static let list = HTTPEndpoint<Empty, IntentsPage>(
        .get, "/v1/intents", .app, query: ["state", "after", "limit"])
    /// Reads one intent of the session's device and customer.
    package static let get = HTTPEndpoint<Empty, PurchaseIntent>(
        .get, "/v1/intents/{id}", .app)
    /// Continues, defers or cancels an intent; repeating the decision is safe.
    package static let decide = HTTPEndpoint<DecisionRequest, IntentDecisionResponse>(
        .post, "/v1/intents/{id}/decision", .app, urgency: .purchase)
    /// Lists the intents of all devices, for the operator.
    package static let search = HTTPEndpoint<Empty, IntentsPage>(
        .get, "/admin/v1/intents", .admin, query: ["bundleId", "account", "deviceId", "state", "after", "limit"])

    static let all: [HTTPRoute] = [
        list.route, get.route, decide.route, search.route,
    ]
}
