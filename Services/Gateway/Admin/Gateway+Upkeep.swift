import BusService
import HTTPTypes
import Hummingbird
import StoreModels

extension Gateway {
    /// What an operator does between two tests: ask why, start over, clear.
    var upkeepRoutes: [Route] {
        [
            Route(.get, "/admin/v1/storefronts", .admin) { [self] in try await describedStorefronts($0) },
            Route(
                .get, "/admin/v1/apps/{bundleId}/products/{id}/explain", .admin, query: ["storefront"]
            ) { [self] in try await explain($0) },
            Route(.post, "/admin/v1/apps/{bundleId}/reset", .admin) { [self] in try await reset($0) },
            Route(.delete, "/admin/v1/apps/{bundleId}/transactions", .admin, query: ["account"]) { [self] in
                try await clearHistory($0)
            },
        ]
    }

    private func describedStorefronts(_ call: Call) async throws -> Response {
        try Reply.json(
            try await services.call(CatalogEndpoints.describeStorefronts, Empty(), context: call.context()))
    }

    /// Whether a product can be bought, and every reason why not (M5).
    private func explain(_ call: Call) async throws -> Response {
        let storefront = try call.query.single("storefront")
        if let storefront { _ = try await storefronts.find(storefront, at: "query storefront", call) }
        let request = ExplainProductRequest(
            bundleId: try call.bundleId(), productIdentifier: try call.parameter("id"), storefront: storefront)
        return try Reply.json(
            try await services.call(CatalogEndpoints.explainProduct, request, context: call.context()))
    }

    private func reset(_ call: Call) async throws -> Response {
        let bundleId = try call.bundleId()
        _ = try await call.body(Empty.self, members: MemberNames([]), isOptional: true)
        try await apps.check(bundleId, call)
        return try Reply.json(
            try await services.call(
                PaymentEndpoints.reset, ResetRequest(bundleId: bundleId), context: call.patientContext()))
    }

    private func clearHistory(_ call: Call) async throws -> Response {
        let bundleId = try call.bundleId()
        let account = try call.accountFilter()
        try await apps.check(bundleId, call)
        let request = ClearHistoryRequest(bundleId: bundleId, account: account)
        return try Reply.json(
            try await services.call(PaymentEndpoints.clearHistory, request, context: call.patientContext()))
    }
}

extension Call {
    /// For work that grows with what a store has seen: it may take half a minute, unless the client says how long.
    fileprivate func patientContext() -> CallContext {
        context(deadline: request.headers[.sbTimeout] == nil ? .now + HTTPLimits.upkeepTimeout : deadline)
    }
}
