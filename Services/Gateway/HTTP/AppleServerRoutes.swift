import HTTPTypes

extension Gateway {
    /// Routes that Apple's server libraries call and this version does not implement. Each responds 501
    /// `notImplemented` and names the alternative, so that a client can tell a missing feature from a misspelt path.
    var appleServerRoutes: [Route] {
        Self.appleServer.map { line in
            Route(
                notBuilt: line.method, line.path, line.access, "\(line.what) not built in this version; \(Self.instead)"
            )
        }
    }

    private static let instead =
        "POST /verifyReceipt checks a receipt, GET /v1/customers/{account}/history has a customer's transactions, "
        + "and GET /admin/v1/events/wait waits for what happens"

    private typealias Line = (method: HTTPRequest.Method, path: String, access: Access, what: String)

    /// Paths of the App Store Server API, as Apple's libraries call them.
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
