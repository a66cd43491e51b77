/// Paths of the App Store Server API, as Apple's libraries call them. None is built in this version.
package enum AppStoreServerRoutes {
    /// The App Store Server API.
    package static let api: [HTTPRoute] = [
        HTTPRoute(.get, "/inApps/v1/subscriptions/{transactionId}", .named),
        HTTPRoute(.get, "/inApps/v2/history/{transactionId}", .named),
        HTTPRoute(.get, "/inApps/v1/history/{transactionId}", .named),
        HTTPRoute(.get, "/inApps/v1/transactions/{transactionId}", .named),
        HTTPRoute(.get, "/inApps/v1/lookup/{orderId}", .named),
        HTTPRoute(.get, "/inApps/v2/refund/lookup/{transactionId}", .named),
        HTTPRoute(.put, "/inApps/v1/subscriptions/extend/{originalTransactionId}", .named),
        HTTPRoute(.post, "/inApps/v1/subscriptions/extend/mass", .named),
        HTTPRoute(.put, "/inApps/v1/transactions/consumption/{transactionId}", .named),
    ]

    /// App Store Server Notifications.
    package static let notifications: [HTTPRoute] = [
        HTTPRoute(.post, "/inApps/v1/notifications/history", .named),
        HTTPRoute(.post, "/inApps/v1/notifications/test", .named),
        HTTPRoute(.get, "/inApps/v1/notifications/test/{testNotificationToken}", .named),
    ]

    static let all: [HTTPRoute] = api + notifications
}
