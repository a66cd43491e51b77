import StoreModels

/// Paths of the App Store Server API, as Apple's libraries call them. Further paths let an app use them here.
package enum AppStoreServerRoutes {
    /// The prefix of every path of the API.
    package static let pathPrefix = "/inApps/"
    /// Reads one transaction.
    ///
    /// Apple's Get Transaction Info. A restored transaction has its own identifier and its original's facts. The
    /// identifier of an app transaction is 4000048.
    package static let transaction = HTTPEndpoint<Empty, TransactionInfoResponse>(
        "inAppsTransaction", .get, "/inApps/v1/transactions/{transactionId}", .serverAPI)
    /// Reads a customer's history, by the order of changes.
    ///
    /// Apple's Get Transaction History. A page has twenty, in the order of their last changes: bought, refunded,
    /// revoked, upgraded, extended. The `revision` with the same query gives the next page, and later the changes
    /// since.
    package static let history = HTTPEndpoint<Empty, ServerHistoryResponse>(
        "inAppsHistory", .get, "/inApps/v2/history/{transactionId}", .serverAPI,
        parameters: historyParameters)
    /// Reads a customer's history without consumables that the app has finished and the store has not taken back: its
    /// earlier version.
    package static let historyV1 = HTTPEndpoint<Empty, ServerHistoryResponse>(
        "inAppsHistoryV1", .get, "/inApps/v1/history/{transactionId}", .serverAPI,
        parameters: historyParameters)
    /// Reads the state of all subscriptions of a customer.
    ///
    /// Apple's Get All Subscription Statuses.
    package static let statuses = HTTPEndpoint<Empty, SubscriptionStatusesResponse>(
        "inAppsSubscriptionStatuses", .get, "/inApps/v1/subscriptions/{transactionId}", .serverAPI,
        parameters: [.status])
    /// Reads a customer's refunded transactions, by the order of refunds.
    ///
    /// Apple's Get Refund History, twenty a page.
    package static let refunds = HTTPEndpoint<Empty, RefundHistoryResponse>(
        "inAppsRefunds", .get, "/inApps/v2/refund/lookup/{transactionId}", .serverAPI,
        parameters: [.revision])
    /// Reads a customer's last fifty refunds: its earlier version.
    ///
    /// Apple's Get Refund History V1. The identifier is an original transaction's.
    package static let refundsV1 = HTTPEndpoint<Empty, RefundLookupResponse>(
        "inAppsRefundsV1", .get, "/inApps/v1/refund/lookup/{originalTransactionId}", .serverAPI)
    /// Finds the transactions of an order from a customer's invoice.
    ///
    /// Apple's Look Up Order ID. The operator's list of transactions has the `orderId` of each.
    package static let order = HTTPEndpoint<Empty, OrderLookupResponse>(
        "inAppsLookup", .get, "/inApps/v1/lookup/{orderId}", .serverAPI)
    /// Reads a customer's download of the app.
    ///
    /// Apple's Get App Transaction Info, by any transaction of the customer's or by the app transaction itself.
    package static let appTransaction = HTTPEndpoint<Empty, AppTransactionInfoResponse>(
        "inAppsAppTransaction", .get, "/inApps/v1/transactions/appTransactions/{transactionId}", .serverAPI)

    private static let historyParameters: [Parameter] = [
        .revision, .startDate, .endDate, .productId, .productType, .sort, .subscriptionGroupIdentifier,
        .inAppOwnershipType, .revoked, .excludeRevoked,
    ]

    /// Reads the environment that the app's signed payloads name.
    ///
    /// It is Sandbox until the operator sets it.
    package static let settings = HTTPEndpoint<Empty, ServerAPISettings>(
        "getServerAPISettings", .get, "/admin/v1/apps/{bundleId}/server-api", .admin)
    /// Replaces the environment that the app's signed payloads name.
    ///
    /// Production needs `appAppleId`. Apps of Xcode have no App Store Server API.
    package static let putSettings = HTTPEndpoint<ServerAPISettings, ServerAPISettings>(
        "putServerAPISettings", .put, "/admin/v1/apps/{bundleId}/server-api", .admin)
    /// Lists the faults that requests of the app's server will meet, in their order.
    package static let faults = HTTPEndpoint<Empty, ServerAPIFaultsResponse>(
        "listServerAPIFaults", .get, "/admin/v1/apps/{bundleId}/server-api/faults", .admin)
    /// Adds a fault that the app server's next requests meet in the App Store Server API. It is on one path or on all.
    ///
    /// The fault is one of Apple's numbers, no response, or a closed connection. Each request meets one fault, in the
    /// order in which they were added.
    package static let addFault = HTTPEndpoint<ServerAPIFault, ServerAPIFaultsResponse>(
        "addServerAPIFault", .post, "/admin/v1/apps/{bundleId}/server-api/faults", .admin,
        responses: [.created()], errors: [.faultRefused])
    /// Removes the faults that are left, so that requests get their usual responses.
    package static let removeFaults = HTTPEndpoint<Empty, NoContent>(
        "removeServerAPIFaults", .delete, "/admin/v1/apps/{bundleId}/server-api/faults", .admin)
    /// Reads one of the customer's transactions, signed, as StoreKit gives it to the app.
    ///
    /// Only purchased and restored transactions have one.
    package static let signedTransaction = HTTPEndpoint<Empty, TransactionInfoResponse>(
        "getSignedTransaction", .get, "/v1/transactions/{id}/jws", .app)
    /// Reads the customer's download of the app, signed, as StoreKit gives it to the app.
    ///
    /// StoreKit calls it AppTransaction.
    package static let signedAppTransaction = HTTPEndpoint<Empty, AppTransactionInfoResponse>(
        "getAppTransaction", .get, "/v1/app-transaction", .app,
        errors: [.notFound])
    /// Asks for the state of a certificate (RFC 6960).
    ///
    /// The certificates of signed payloads name this responder. A request is DER of at most 4 KiB.
    package static let certificateStatus = HTTPEndpoint<RawBody, RawBody>(
        "ocsp", .post, "/ocsp", .open,
        body: .whole(max: 4096), content: .bytes("application/ocsp-request"),
        responses: [.ok("The responder's response, also an error.", .bytes(["application/ocsp-response"]))])
    /// Asks for the state of a certificate, with the request in the path, in Base64.
    package static let certificateStatusByGet = HTTPEndpoint<Empty, RawBody>(
        "ocspByGet", .get, "/ocsp/{ocspRequest}", .open,
        responses: [.ok("The responder's response, also an error.", .bytes(["application/ocsp-response"]))])

    /// Extends a subscription's present period.
    ///
    /// Apple's Extend a Subscription Renewal Date, twice within 365 days for a period that was paid and runs. A
    /// `requestIdentifier` extends a subscription once. Repeated, it gets the same response.
    package static let extend = HTTPEndpoint<ExtendRenewalDateBody, ExtendRenewalDateResponse>(
        "inAppsExtend", .put, "/inApps/v1/subscriptions/extend/{originalTransactionId}", .serverAPI,
        errors: [.notExtensible])
    /// Extends the present periods of all subscriptions of a product.
    ///
    /// Apple's Extend Subscription Renewal Dates for All Active Subscribers. Up to 200 are extended before the
    /// response, the rest afterwards: each gives a RENEWAL_EXTENDED or a RENEWAL_EXTENSION with FAILURE, the end a
    /// RENEWAL_EXTENSION with SUMMARY.
    package static let extendAll = HTTPEndpoint<MassExtendRenewalDateBody, MassExtendRenewalDateResponse>(
        "inAppsExtendAll", .post, "/inApps/v1/subscriptions/extend/mass", .serverAPI)
    /// Reads the progress of an extension of a product's subscriptions.
    ///
    /// Apple's Get Status of Subscription Renewal Date Extensions.
    package static let extensions = HTTPEndpoint<Empty, MassExtendRenewalDateStatusResponse>(
        "inAppsExtendAllStatus", .get, "/inApps/v1/subscriptions/extend/mass/{productId}/{requestIdentifier}",
        .serverAPI)
    /// Accepts the app's server's statement of a purchase's consumption.
    ///
    /// Apple's Send Consumption Information, after a CONSUMPTION_REQUEST. The operator sees it at the refund request.
    package static let consumption = HTTPEndpoint<ConsumptionBody, NoContent>(
        "inAppsConsumption", .put, "/inApps/v2/transactions/consumption/{transactionId}", .serverAPI,
        responses: [.accepted("The statement is kept at the open refund request, if the transaction has one.", .none)])
    /// Accepts the statement of a consumable's or an auto-renewable subscription's consumption in its earlier version.
    package static let consumptionV1 = HTTPEndpoint<ConsumptionBodyV1, NoContent>(
        "inAppsConsumptionV1", .put, "/inApps/v1/transactions/consumption/{transactionId}", .serverAPI,
        responses: [.accepted("The statement is kept at the open refund request, if the transaction has one.", .none)])
    /// Gives a purchase and all renewals of it another `appAccountToken`.
    ///
    /// Apple's Set App Account Token: of the original, of all its renewals, and of later ones.
    package static let appAccountToken = HTTPEndpoint<AppAccountTokenBody, NoContent>(
        "inAppsAppAccountToken", .put, "/inApps/v1/transactions/{originalTransactionId}/appAccountToken", .serverAPI,
        responses: [.ok("The token is set.", .none)])
    /// Takes a transaction out of the customer's queue.
    ///
    /// The transaction leaves the queue as by the app's finish. Repeating it changes nothing.
    package static let finish = HTTPEndpoint<Empty, NoContent>(
        "inAppsFinish", .post, "/inApps/v1/transactions/{transactionId}/finish", .serverAPI,
        isBodyOptional: true, urgency: .completion, responses: [.ok("The transaction is finished.", .none)])

    /// Operations of the API that are not built: retention messaging.
    package static let messaging: [HTTPEndpoint<Empty, NotBuilt>] = [
        notBuilt("inAppsPutImage", .put, "/inApps/v1/messaging/image/{id}"),
        notBuilt("inAppsDeleteImage", .delete, "/inApps/v1/messaging/image/{id}"),
        notBuilt("inAppsListImages", .get, "/inApps/v1/messaging/image/list"),
        notBuilt("inAppsPutMessage", .put, "/inApps/v1/messaging/message/{id}"),
        notBuilt("inAppsDeleteMessage", .delete, "/inApps/v1/messaging/message/{id}"),
        notBuilt("inAppsListMessages", .get, "/inApps/v1/messaging/message/list"),
        notBuilt("inAppsPutDefaultMessage", .put, "/inApps/v1/messaging/default/{productId}/{locale}"),
        notBuilt("inAppsGetDefaultMessage", .get, "/inApps/v1/messaging/default/{productId}/{locale}"),
        notBuilt("inAppsDeleteDefaultMessage", .delete, "/inApps/v1/messaging/default/{productId}/{locale}"),
        notBuilt("inAppsPutRealtimeURL", .put, "/inApps/v1/messaging/realtime/url"),
        notBuilt("inAppsGetRealtimeURL", .get, "/inApps/v1/messaging/realtime/url"),
        notBuilt("inAppsDeleteRealtimeURL", .delete, "/inApps/v1/messaging/realtime/url"),
        notBuilt("inAppsPerformanceTest", .post, "/inApps/v1/messaging/performanceTest"),
        notBuilt("inAppsPerformanceTestResult", .get, "/inApps/v1/messaging/performanceTest/result/{id}"),
    ]

    private static func notBuilt(
        _ id: String, _ method: HTTPRoute.Method, _ path: HTTPPath
    ) -> HTTPEndpoint<Empty, NotBuilt> {
        HTTPEndpoint(id, method, path, .named, summary: "Not built: retention messaging", needs: .memory)
    }

    /// Reads the notifications that were sent, by the time of their events.
    ///
    /// Apple's Get Notification History: notifications with an attempt that has ended, twenty a page. The body may
    /// begin 180 days before the app's clock. Unknown members are ignored.
    package static let notificationHistory = HTTPEndpoint<NotificationHistoryBody, NotificationHistoryResponse>(
        "inAppsNotificationHistory", .post, "/inApps/v1/notifications/history", .serverAPI,
        parameters: [.paginationToken])
    /// Sends a test notification.
    ///
    /// Apple's Request a Test Notification.
    package static let testNotification = HTTPEndpoint<Empty, TestNotificationResponse>(
        "inAppsTestNotification", .post, "/inApps/v1/notifications/test", .serverAPI)
    /// Reads the outcome of a test notification.
    ///
    /// Apple's Get Test Notification Status. The outcome is known after the first attempt.
    package static let testNotificationStatus = HTTPEndpoint<Empty, TestNotificationStatusResponse>(
        "inAppsTestNotificationStatus", .get, "/inApps/v1/notifications/test/{testNotificationToken}", .serverAPI,
        responses: [
            .ok(
                nil,
                .json(
                    Schema.type(TestNotificationStatusResponse.self).narrowed([
                        "properties": ["sendAttempts": ["minItems": 1]]
                    ])))
        ])
}
