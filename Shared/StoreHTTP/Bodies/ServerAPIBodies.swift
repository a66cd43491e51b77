import StoreModels

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

/// The body of `PUT /admin/v1/apps/{bundleId}/server-api`: `{"environment":"Production","appAppleId":1234567890}`.
package struct ServerAPISettings: Hashable, Sendable, Codable {
    /// The environment that signed payloads name. Left out, it is Sandbox.
    package var environment: AppStoreEnvironment = .sandbox
    /// Apple's number of the app. Production needs it, and only payloads of Production have it.
    package var appAppleId: Int64?
    /// The number of requests that the app's server may make in an hour: Apple's numbers of an environment, or those of
    /// some operations. Left out, there is no limit.
    package var rateLimits: ServerAPIRateLimits?

    /// Reads a missing environment as the sandbox.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        environment = try container.decodeIfPresent(AppStoreEnvironment.self, forKey: .environment) ?? .sandbox
        appAppleId = try container.decodeIfPresent(Int64.self, forKey: .appAppleId)
        rateLimits = try container.decodeIfPresent(ServerAPIRateLimits.self, forKey: .rateLimits)
    }
}

/// The operations of the App Store Server API, by Apple's names in its libraries.
package enum ServerAPIOperation: String, CaseIterable, Sendable, Codable {
    case getTransactionInfo, getTransactionHistory, getAllSubscriptionStatuses, getRefundHistory, lookUpOrderId
    case getAppTransactionInfo, extendSubscriptionRenewalDate, extendRenewalDateForAllActiveSubscribers
    case getStatusOfSubscriptionRenewalDateExtensions, sendConsumptionInformation, setAppAccountToken
    case finishTransaction, getNotificationHistory, requestTestNotification, getTestNotificationStatus

    /// Apple's limit in production, in requests a second. Apple counts them by the hour.
    package var limitPerSecond: Int {
        switch self {
        case .extendSubscriptionRenewalDate: 20
        case .lookUpOrderId, .getRefundHistory: 10
        case .extendRenewalDateForAllActiveSubscribers, .requestTestNotification, .getTestNotificationStatus: 1
        default: 50
        }
    }

    /// The operation of a route. Nil for a route outside the API.
    package init?(_ route: HTTPRoute) {
        switch route {
        case AppStoreServerRoutes.transaction.route: self = .getTransactionInfo
        case AppStoreServerRoutes.history.route, AppStoreServerRoutes.historyV1.route: self = .getTransactionHistory
        case AppStoreServerRoutes.statuses.route: self = .getAllSubscriptionStatuses
        case AppStoreServerRoutes.refunds.route, AppStoreServerRoutes.refundsV1.route: self = .getRefundHistory
        case AppStoreServerRoutes.order.route: self = .lookUpOrderId
        case AppStoreServerRoutes.appTransaction.route: self = .getAppTransactionInfo
        case AppStoreServerRoutes.extend.route: self = .extendSubscriptionRenewalDate
        case AppStoreServerRoutes.extendAll.route: self = .extendRenewalDateForAllActiveSubscribers
        case AppStoreServerRoutes.extensions.route: self = .getStatusOfSubscriptionRenewalDateExtensions
        case AppStoreServerRoutes.consumption.route, AppStoreServerRoutes.consumptionV1.route:
            self = .sendConsumptionInformation
        case AppStoreServerRoutes.appAccountToken.route: self = .setAppAccountToken
        case AppStoreServerRoutes.finish.route: self = .finishTransaction
        case AppStoreServerRoutes.notificationHistory.route: self = .getNotificationHistory
        case AppStoreServerRoutes.testNotification.route: self = .requestTestNotification
        case AppStoreServerRoutes.testNotificationStatus.route: self = .getTestNotificationStatus
        default: return nil
        }
    }
}

/// How many requests an hour an app's server may make: `"off"`, `"sandbox"`, `"production"` or
/// `{"getTransactionInfo":10}`.
package enum ServerAPIRateLimits: Hashable, Sendable, Codable {
    case off, sandbox, production
    /// Requests an hour of some operations, 0 or more. The others have no limit.
    case custom([ServerAPIOperation: Int])

    /// The most requests an hour of an operation. Nil for no limit.
    package func limit(of operation: ServerAPIOperation) -> Int? {
        switch self {
        case .off: nil
        case .sandbox: operation.limitPerSecond * 360
        case .production: operation.limitPerSecond * 3600
        case .custom(let limits): limits[operation]
        }
    }

    private enum Name: String, Codable { case off, sandbox, production }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: Key.self) else {
            switch try decoder.singleValueContainer().decode(Name.self) {
            case .off: self = .off
            case .sandbox: self = .sandbox
            case .production: self = .production
            }
            return
        }
        var limits: [ServerAPIOperation: Int] = [:]
        for key in container.allKeys {
            let limit = try container.decode(Int.self, forKey: key)
            guard let operation = ServerAPIOperation(rawValue: key.stringValue), limit >= 0 else {
                throw DecodingError.dataCorruptedError(
                    forKey: key, in: container,
                    debugDescription: "must be an operation of the API, with requests an hour, 0 or more")
            }
            limits[operation] = limit
        }
        self = .custom(limits)
    }

    package func encode(to encoder: any Encoder) throws {
        let name: Name
        switch self {
        case .off: name = .off
        case .sandbox: name = .sandbox
        case .production: name = .production
        case .custom(let limits):
            var container = encoder.container(keyedBy: Key.self)
            for operation in ServerAPIOperation.allCases {
                try container.encodeIfPresent(limits[operation], forKey: Key(stringValue: operation.rawValue))
            }
            return
        }
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// A fault that the next requests of an app's server meet:
///
/// ```json
/// {"path":"/inApps/v1/transactions/{transactionId}","errorCode":4040010,"times":2}
/// ```
///
/// ```json
/// {"outcome":"timeout"}
/// ```
package struct ServerAPIFault: Hashable, Sendable, Codable {
    /// The fault that a request meets in place of a response.
    package enum Outcome: String, CaseIterable, Sendable, Codable {
        /// No response within a minute.
        case timeout
        /// The connection is closed.
        case close
    }

    /// As Apple's documentation has it, with `{transactionId}` and the like, or with values. Left out, it is every
    /// path.
    package var path: String?
    /// One of Apple's numbers, which docs/server-api.md lists. Absent where `outcome` is set.
    package var errorCode: Int?
    /// In place of `errorCode`.
    package var outcome: Outcome?
    /// The number of requests. Left out, it is 1. In lists it is the number that is left.
    package var times: Int?
}

/// The faults that are left, in the order in which they are met.
package struct ServerAPIFaultsResponse: Hashable, Sendable, Codable {
    package var faults: [ServerAPIFault]
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
