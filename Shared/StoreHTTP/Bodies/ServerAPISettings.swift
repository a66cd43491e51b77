import StoreModels

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
