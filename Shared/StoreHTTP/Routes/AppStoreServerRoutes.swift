import StoreModels

/// Paths of the App Store Server API, as Apple's libraries call them, and what an app needs to use them here.
package enum AppStoreServerRoutes {
    /// What every path of the API begins with.
    package static let pathPrefix = "/inApps/"
    /// Reads one transaction.
    package static let transaction = HTTPEndpoint<Empty, TransactionInfoResponse>(
        .get, "/inApps/v1/transactions/{transactionId}", .serverAPI)
    /// Reads a customer's history, by the order of changes.
    package static let history = HTTPEndpoint<Empty, ServerHistoryResponse>(
        .get, "/inApps/v2/history/{transactionId}", .serverAPI, query: historyQuery)
    /// The same in its earlier version, without consumables that the app has finished.
    package static let historyV1 = HTTPEndpoint<Empty, ServerHistoryResponse>(
        .get, "/inApps/v1/history/{transactionId}", .serverAPI, query: historyQuery)
    /// Reads the state of all subscriptions of a customer.
    package static let statuses = HTTPEndpoint<Empty, SubscriptionStatusesResponse>(
        .get, "/inApps/v1/subscriptions/{transactionId}", .serverAPI, query: ["status"])
    /// Reads a customer's refunded transactions, by the order of refunds.
    package static let refunds = HTTPEndpoint<Empty, RefundHistoryResponse>(
        .get, "/inApps/v2/refund/lookup/{transactionId}", .serverAPI, query: ["revision"])
    /// Reads a customer's last fifty refunds: its earlier version.
    package static let refundsV1 = HTTPEndpoint<Empty, RefundLookupResponse>(
        .get, "/inApps/v1/refund/lookup/{originalTransactionId}", .serverAPI)
    /// Finds the transactions of an order from a customer's invoice.
    package static let order = HTTPEndpoint<Empty, OrderLookupResponse>(
        .get, "/inApps/v1/lookup/{orderId}", .serverAPI)
    /// Reads a customer's download of the app.
    package static let appTransaction = HTTPEndpoint<Empty, AppTransactionInfoResponse>(
        .get, "/inApps/v1/transactions/appTransactions/{transactionId}", .serverAPI)

    private static let historyQuery: Set<String> = [
        "revision", "startDate", "endDate", "productId", "productType", "sort", "subscriptionGroupIdentifier",
        "inAppOwnershipType", "revoked", "excludeRevoked",
    ]

    /// Reads the environment that the app's signed payloads name.
    package static let settings = HTTPEndpoint<Empty, ServerAPISettings>(
        .get, "/admin/v1/apps/{bundleId}/server-api", .admin)
    /// Replaces the environment that the app's signed payloads name.
    package static let putSettings = HTTPEndpoint<ServerAPISettings, ServerAPISettings>(
        .put, "/admin/v1/apps/{bundleId}/server-api", .admin)
    /// Lists the faults that the app's server will meet.
    package static let faults = HTTPEndpoint<Empty, ServerAPIFaultsResponse>(
        .get, "/admin/v1/apps/{bundleId}/server-api/faults", .admin)
    /// Has the next requests of the app's server fail.
    package static let addFault = HTTPEndpoint<ServerAPIFault, ServerAPIFaultsResponse>(
        .post, "/admin/v1/apps/{bundleId}/server-api/faults", .admin)
    /// Removes the faults that are left.
    package static let removeFaults = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/apps/{bundleId}/server-api/faults", .admin)
    /// Reads one of the customer's transactions, signed, as StoreKit gives it to the app.
    package static let signedTransaction = HTTPEndpoint<Empty, TransactionInfoResponse>(
        .get, "/v1/transactions/{id}/jws", .app)
    /// Reads the customer's download of the app, signed, as StoreKit gives it to the app.
    package static let signedAppTransaction = HTTPEndpoint<Empty, AppTransactionInfoResponse>(
        .get, "/v1/app-transaction", .app)
    /// Asks for the state of a certificate (RFC 6960).
    package static let certificateStatus = HTTPEndpoint<RawBody, RawBody>(
        .post, "/ocsp", .open, body: .whole(max: 4096))
    /// The same with the request in the path, in Base64.
    package static let certificateStatusByGet = HTTPEndpoint<Empty, RawBody>(.get, "/ocsp/{ocspRequest}", .open)

    /// Extends a subscription's present period.
    package static let extend = HTTPEndpoint<ExtendRenewalDateBody, ExtendRenewalDateResponse>(
        .put, "/inApps/v1/subscriptions/extend/{originalTransactionId}", .serverAPI)
    /// Extends the present periods of all subscriptions of a product.
    package static let extendAll = HTTPEndpoint<MassExtendRenewalDateBody, MassExtendRenewalDateResponse>(
        .post, "/inApps/v1/subscriptions/extend/mass", .serverAPI)
    /// Reads the progress of an extension of a product's subscriptions.
    package static let extensions = HTTPEndpoint<Empty, MassExtendRenewalDateStatusResponse>(
        .get, "/inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier}", .serverAPI)
    /// Takes what the app's server says of a purchase's consumption.
    package static let consumption = HTTPEndpoint<ConsumptionBody, NoContent>(
        .put, "/inApps/v2/transactions/consumption/{transactionId}", .serverAPI)
    /// The same in its earlier version.
    package static let consumptionV1 = HTTPEndpoint<ConsumptionBodyV1, NoContent>(
        .put, "/inApps/v1/transactions/consumption/{transactionId}", .serverAPI)
    /// Gives a purchase and all renewals of it another `appAccountToken`.
    package static let appAccountToken = HTTPEndpoint<AppAccountTokenBody, NoContent>(
        .put, "/inApps/v1/transactions/{originalTransactionId}/appAccountToken", .serverAPI)
    /// Takes a transaction out of the customer's queue.
    package static let finish = HTTPEndpoint<Empty, NoContent>(
        .post, "/inApps/v1/transactions/{transactionId}/finish", .serverAPI, isBodyOptional: true,
        urgency: .completion)

    /// Operations of the API that are not built: retention messaging.
    package static let messaging: [HTTPRoute] = [
        HTTPRoute(.put, "/inApps/v1/messaging/image/{id}", .named),
        HTTPRoute(.delete, "/inApps/v1/messaging/image/{id}", .named),
        HTTPRoute(.get, "/inApps/v1/messaging/image/list", .named),
        HTTPRoute(.put, "/inApps/v1/messaging/message/{id}", .named),
        HTTPRoute(.delete, "/inApps/v1/messaging/message/{id}", .named),
        HTTPRoute(.get, "/inApps/v1/messaging/message/list", .named),
        HTTPRoute(.put, "/inApps/v1/messaging/default/{productId}/{locale}", .named),
        HTTPRoute(.get, "/inApps/v1/messaging/default/{productId}/{locale}", .named),
        HTTPRoute(.delete, "/inApps/v1/messaging/default/{productId}/{locale}", .named),
        HTTPRoute(.put, "/inApps/v1/messaging/realtime/url", .named),
        HTTPRoute(.get, "/inApps/v1/messaging/realtime/url", .named),
        HTTPRoute(.delete, "/inApps/v1/messaging/realtime/url", .named),
        HTTPRoute(.post, "/inApps/v1/messaging/performanceTest", .named),
        HTTPRoute(.get, "/inApps/v1/messaging/performanceTest/result/{id}", .named),
    ]

    /// Reads the notifications that were sent, by the time of their events.
    package static let notificationHistory = HTTPEndpoint<NotificationHistoryBody, NotificationHistoryResponse>(
        .post, "/inApps/v1/notifications/history", .serverAPI, query: ["paginationToken"])
    /// Sends a test notification.
    package static let testNotification = HTTPEndpoint<Empty, TestNotificationResponse>(
        .post, "/inApps/v1/notifications/test", .serverAPI)
    /// Reads what became of a test notification.
    package static let testNotificationStatus = HTTPEndpoint<Empty, TestNotificationStatusResponse>(
        .get, "/inApps/v1/notifications/test/{testNotificationToken}", .serverAPI)

    static let all: [HTTPRoute] =
        [
            transaction.route, history.route, historyV1.route, statuses.route, refunds.route, refundsV1.route,
            order.route, appTransaction.route, settings.route, putSettings.route, faults.route, addFault.route,
            removeFaults.route, signedTransaction.route, signedAppTransaction.route, certificateStatus.route,
            certificateStatusByGet.route, notificationHistory.route, testNotification.route,
            testNotificationStatus.route, extend.route, extendAll.route, extensions.route, consumption.route,
            consumptionV1.route, appAccountToken.route, finish.route,
        ] + messaging
}
