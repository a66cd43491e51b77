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

/// The response of `GET /inApps/v1/transactions/{transactionId}`: a JWS of ``TransactionClaims``.
package struct TransactionInfoResponse: Hashable, Sendable, Codable {
    package var signedTransactionInfo: String
}

/// The response of `GET /inApps/v2/history/{transactionId}`, with Apple's member names.
package struct ServerHistoryResponse: Hashable, Sendable, Codable {
    /// The place of the next page, in the last page too.
    package var revision: String
    package var hasMore: Bool
    @ShownApp package var bundleId: String
    /// In production only.
    package var appAppleId: Int64?
    package var environment: AppStoreEnvironment
    /// JWS of ``TransactionClaims``, at most twenty.
    package var signedTransactions: [String]

    package init(revision: String, hasMore: Bool, app: ServerApp, signedTransactions: [String]) {
        self.revision = revision
        self.hasMore = hasMore
        bundleId = app.bundleId
        appAppleId = app.appAppleId
        environment = app.environment
        self.signedTransactions = signedTransactions
    }
}

/// The response of `GET /inApps/v1/subscriptions/{transactionId}`, with Apple's member names.
package struct SubscriptionStatusesResponse: Hashable, Sendable, Codable {
    /// The subscriptions of one group. A customer has one at a time.
    package struct Group: Hashable, Sendable, Codable {
        package var subscriptionGroupIdentifier: String
        package var lastTransactions: [Item]
    }

    /// The latest transaction of a subscription.
    package struct Item: Hashable, Sendable, Codable {
        /// 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
        package var status: Int
        package var originalTransactionId: String
        /// A JWS of ``TransactionClaims``.
        package var signedTransactionInfo: String
        /// A JWS of ``RenewalClaims``.
        package var signedRenewalInfo: String
    }

    package var environment: AppStoreEnvironment
    @ShownApp package var bundleId: String
    /// In production only.
    package var appAppleId: Int64?
    package var data: [Group]

    package init(app: ServerApp, data: [Group]) {
        environment = app.environment
        bundleId = app.bundleId
        appAppleId = app.appAppleId
        self.data = data
    }
}

/// The response of `GET /inApps/v2/refund/lookup/{transactionId}`, with Apple's member names.
package struct RefundHistoryResponse: Hashable, Sendable, Codable {
    /// JWS of ``TransactionClaims``, at most twenty.
    package var signedTransactions: [String]
    /// The place of the next page, in the last page too.
    package var revision: String
    package var hasMore: Bool
}

/// The response of `GET /inApps/v1/refund/lookup/{originalTransactionId}`, with Apple's member name.
package struct RefundLookupResponse: Hashable, Sendable, Codable {
    /// JWS of ``TransactionClaims``, at most fifty, the last ones in the order of their refunds.
    package var signedTransactions: [String]
}

/// The response of `GET /inApps/v1/lookup/{orderId}`, with Apple's member names.
package struct OrderLookupResponse: Hashable, Sendable, Codable {
    /// 0 for an order of the app, else 1.
    package var status: Int
    /// Absent with status 1.
    package let signedTransactions: [String]?
}

/// The response of `GET /inApps/v1/transactions/appTransactions/{transactionId}`: a JWS of ``AppTransactionClaims``.
package struct AppTransactionInfoResponse: Hashable, Sendable, Codable {
    package var signedAppTransactionInfo: String
}

/// An error of the App Store Server API: `{"errorCode":4040010,"errorMessage":"Transaction id not found."}`.
package struct ServerAPIErrorResponse: Hashable, Sendable, Codable {
    /// Apple's number. Its first three digits are the HTTP status.
    package var errorCode: Int
    /// Apple's sentence.
    package var errorMessage: String
}

/// The body of `PUT /inApps/v1/subscriptions/extend/{originalTransactionId}`, with Apple's member names.
///
/// ```json
/// {"extendByDays":30,"extendReasonCode":3,"requestIdentifier":"outage-2027-03"}
/// ```
package struct ExtendRenewalDateBody: Hashable, Sendable, Codable {
    /// 1…90.
    package var extendByDays: Int?
    /// 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.
    package var extendReasonCode: Int?
    /// The server's own name of the request, at most 128 bytes.
    package var requestIdentifier: String?
}

/// A subscription whose renewal date was extended.
package struct ExtendRenewalDateResponse: Hashable, Sendable, Codable {
    package var originalTransactionId: String
    package var webOrderLineItemId: String?
    /// Always true. A subscription that cannot be extended is an error.
    package var success: Bool
    /// The new end of the period, milliseconds since 1970.
    package var effectiveDate: Int64?
}

/// The body of `POST /inApps/v1/subscriptions/extend/mass`, with Apple's member names.
///
/// ```json
/// {"extendByDays":30,"extendReasonCode":3,"requestIdentifier":"outage-2027-03",
///  "productId":"com.example.pro.monthly","storefrontCountryCodes":["USA"]}
/// ```
package struct MassExtendRenewalDateBody: Hashable, Sendable, Codable {
    /// 1…90.
    package var extendByDays: Int?
    /// 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.
    package var extendReasonCode: Int?
    /// The server's own name of the request, at most 128 bytes.
    package var requestIdentifier: String?
    /// Alpha-3. Absent for all storefronts.
    package var storefrontCountryCodes: [String]?
    package var productId: String?
}

/// An extension of the renewal dates of all subscribers that has begun.
package struct MassExtendRenewalDateResponse: Hashable, Sendable, Codable {
    package var requestIdentifier: String
}

/// The progress of an extension of the renewal dates of all subscribers.
package struct MassExtendRenewalDateStatusResponse: Hashable, Sendable, Codable {
    package var requestIdentifier: String
    package var complete: Bool
    /// Milliseconds since 1970. Absent, like the counts, until it is complete.
    package var completeDate: Int64?
    package var succeededCount: Int64?
    package var failedCount: Int64?

    package init(_ value: SubscriptionExtensions) {
        requestIdentifier = value.requestIdentifier
        complete = value.completedAt != nil
        guard let completedAt = value.completedAt else { return }
        completeDate = completedAt.milliseconds
        succeededCount = value.succeededCount
        failedCount = value.failedCount
    }
}

/// The body of `PUT /inApps/v1/transactions/{originalTransactionId}/appAccountToken`, with Apple's member name.
///
/// ```json
/// {"appAccountToken":"7a0c6b0e-1111-4222-8333-444455556666"}
/// ```
package struct AppAccountTokenBody: Hashable, Sendable, Codable {
    /// A UUID.
    package var appAccountToken: String?
}

/// The body of `PUT /inApps/v2/transactions/consumption/{transactionId}`, with Apple's member names.
///
/// ```json
/// {"customerConsented":true,"deliveryStatus":"DELIVERED","sampleContentProvided":false,
///  "consumptionPercentage":25000,"refundPreference":"GRANT_PRORATED"}
/// ```
package struct ConsumptionBody: Hashable, Sendable, Codable {
    /// Always true: without consent nothing may be sent.
    package var customerConsented: Bool?
    /// 0…100000, in thousandths of a percent.
    package var consumptionPercentage: Int?
    /// `DELIVERED`, or why it was not.
    package var deliveryStatus: String?
    /// `DECLINE`, `GRANT_FULL` or `GRANT_PRORATED`.
    package var refundPreference: String?
    package var sampleContentProvided: Bool?
}

/// The body of `PUT /inApps/v1/transactions/consumption/{transactionId}`, with Apple's member names and numbers.
///
/// ```json
/// {"customerConsented":true,"consumptionStatus":1,"platform":1,"sampleContentProvided":false,"deliveryStatus":0,
///  "appAccountToken":"","accountTenure":0,"playTime":0,"lifetimeDollarsRefunded":0,"lifetimeDollarsPurchased":0,
///  "userStatus":0,"refundPreference":2}
/// ```
package struct ConsumptionBodyV1: Hashable, Sendable, Codable {
    /// Always true: without consent nothing may be sent.
    package var customerConsented: Bool?
    package var consumptionStatus: Int?
    package var platform: Int?
    package var sampleContentProvided: Bool?
    package var deliveryStatus: Int?
    /// A UUID, or empty.
    package var appAccountToken: String?
    package var accountTenure: Int?
    package var playTime: Int?
    package var lifetimeDollarsRefunded: Int?
    package var lifetimeDollarsPurchased: Int?
    package var userStatus: Int?
    package var refundPreference: Int?
}
