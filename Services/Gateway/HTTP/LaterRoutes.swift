import HTTPTypes

extension Gateway {
    /// What the contract names and a later version builds. Each answers 501 `notImplemented` with its sentence, so that
    /// a client can tell "not yet" from "misspelt".
    var laterRoutes: [Route] {
        Self.appleServer.map { line in
            Route(notBuilt: line.method, line.path, line.access, "\(line.what) not built yet")
        }
    }

    private typealias Line = (method: HTTPRequest.Method, path: String, access: Access, what: String)

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
}
