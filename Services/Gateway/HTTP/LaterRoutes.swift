import HTTPTypes

extension Gateway {
    /// What the contract names and a later version builds. Each answers 501 `notImplemented` with its sentence, so that
    /// a client can tell "not yet" from "misspelt".
    var laterRoutes: [Route] {
        Self.later.map { line in
            Route(notBuilt: line.method, line.path, line.access, "\(line.what) not built yet")
        }
    }

    private typealias Line = (method: HTTPRequest.Method, path: String, access: Access, what: String)

    private static let later: [Line] =
        [
            (.get, "/v1/promotions/visibility/{productIdentifier}", .app, "promotion overrides are"),
            (.put, "/v1/promotions/visibility/{productIdentifier}", .app, "promotion overrides are"),
            (.get, "/v1/promotions/order", .app, "promotion overrides are"),
            (.put, "/v1/promotions/order", .app, "promotion overrides are"),
            (.get, "/v1/intents", .app, "promoted purchases are"),
            (.get, "/v1/intents/{id}", .app, "promoted purchases are"),
            (.post, "/v1/intents/{id}/decision", .app, "promoted purchases are"),
            (.get, "/v1/search", .appOrStore, "the store's search is"),
            (.get, "/v1/featured", .appOrStore, "the featured tab is"),
            (.post, "/v1/store-page/purchase", .appOrStore, "buying from the store page is"),
            (.post, "/v1/open-url", .appOrStore, "opening a store URL is"),
        ] + appleServer + adminApps + adminDevices

    /// The App Store Server API's own paths, as Apple's libraries call them.
    private static let appleServer: [Line] = [
        (.get, "/inApps/v1/subscriptions/{transactionId}", .named, "the App Store Server API is"),
        (.get, "/inApps/v2/history/{transactionId}", .named, "the App Store Server API is"),
        (.get, "/inApps/v1/history/{transactionId}", .named, "the App Store Server API is"),
        (.get, "/inApps/v1/transactions/{transactionId}", .named, "the App Store Server API is"),
        (.get, "/inApps/v1/lookup/{orderId}", .named, "the App Store Server API is"),
        (.get, "/inApps/v2/refund/lookup/{transactionId}", .named, "the App Store Server API is"),
        (.put, "/inApps/v1/subscriptions/extend/{originalTransactionId}", .named, "the App Store Server API is"),
        (.post, "/inApps/v1/subscriptions/extend/mass", .named, "the App Store Server API is"),
        (.put, "/inApps/v1/transactions/consumption/{transactionId}", .named, "the App Store Server API is"),
        (.post, "/inApps/v1/notifications/history", .named, "server notifications are"),
        (.post, "/inApps/v1/notifications/test", .named, "server notifications are"),
        (.get, "/inApps/v1/notifications/test/{testNotificationToken}", .named, "server notifications are"),
    ]

    private static let adminApps: [Line] = [
        (.put, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image", .admin, "promotional images are"),
        (.post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/approve", .admin, "promotional images are"),
        (.post, "/admin/v1/apps/{bundleId}/products/{id}/promotion-image/reject", .admin, "promotional images are"),
        (.get, "/admin/v1/apps/{bundleId}/products/{id}/test-url", .admin, "test URLs are"),
        (.put, "/admin/v1/apps/{bundleId}/promotions", .admin, "setting up promotions is"),
        (.put, "/admin/v1/featured", .admin, "the featured tab is"),
    ]

    private static let adminDevices: [Line] = [
        (.get, "/admin/v1/devices/{deviceId}", .admin, "managing devices is"),
        (.put, "/admin/v1/devices/{deviceId}", .admin, "managing devices is"),
        (.delete, "/admin/v1/devices/{deviceId}", .admin, "managing devices is"),
        (.put, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin, "managing devices is"),
        (.delete, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin, "managing devices is"),
        (.put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/order", .admin, "promotion overrides are"),
        (
            .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/visibility/{productIdentifier}", .admin,
            "promotion overrides are"
        ),
    ]
}
