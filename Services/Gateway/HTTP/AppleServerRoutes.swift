import StoreHTTP

extension Gateway {
    /// Routes that Apple's server libraries call and this version does not implement. Each responds 501
    /// `notImplemented` and names the alternative, so that a client can tell a missing feature from a misspelt path.
    var appleServerRoutes: [Route] {
        AppStoreServerRoutes.api.map { Self.notBuilt($0, "the App Store Server API is") }
            + AppStoreServerRoutes.notifications.map { Self.notBuilt($0, "server notifications are") }
    }

    private static func notBuilt(_ route: HTTPRoute, _ what: String) -> Route {
        Route(notBuilt: route, "\(what) not built in this version; \(instead)")
    }

    private static let instead =
        "POST /verifyReceipt checks a receipt, GET /v1/customers/{account}/history has a customer's transactions, "
        + "and GET /admin/v1/events/wait waits for what happens"
}
