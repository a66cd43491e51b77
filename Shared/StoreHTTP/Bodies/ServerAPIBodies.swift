import StoreModels

/// The response of `GET /inApps/v1/transactions/{transactionId}`: a JWS of ``TransactionClaims``.
package struct TransactionInfoResponse: Hashable, Sendable, Codable {
    package var signedTransactionInfo: String

    package init(signedTransactionInfo: String) { self.signedTransactionInfo = signedTransactionInfo }
}

/// The response of `GET /inApps/v2/history/{transactionId}`, with Apple's member names.
package struct ServerHistoryResponse: Hashable, Sendable, Codable {
    /// The place of the next page, in the last page too.
    package var revision: String
    package var hasMore: Bool
    package var bundleId: String
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
    /// The subscriptions of one group; a customer has one at a time.
    package struct Group: Hashable, Sendable, Codable {
        package var subscriptionGroupIdentifier: String
        package var lastTransactions: [Item]

        package init(subscriptionGroupIdentifier: String, lastTransactions: [Item]) {
            self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
            self.lastTransactions = lastTransactions
        }
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

        package init(
            status: Int, originalTransactionId: String, signedTransactionInfo: String, signedRenewalInfo: String
        ) {
            self.status = status
            self.originalTransactionId = originalTransactionId
            self.signedTransactionInfo = signedTransactionInfo
            self.signedRenewalInfo = signedRenewalInfo
        }
    }

    package var environment: AppStoreEnvironment
    package var bundleId: String
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

    package init(signedTransactions: [String], revision: String, hasMore: Bool) {
        self.signedTransactions = signedTransactions
        self.revision = revision
        self.hasMore = hasMore
    }
}

/// The response of `GET /inApps/v1/lookup/{orderId}`, with Apple's member names.
package struct OrderLookupResponse: Hashable, Sendable, Codable {
    /// 0 for an order of the app, else 1.
    package var status: Int
    /// JWS of ``TransactionClaims``.
    package var signedTransactions: [String]

    package init(status: Int, signedTransactions: [String]) {
        self.status = status
        self.signedTransactions = signedTransactions
    }
}

/// The response of `GET /inApps/v1/transactions/appTransactions/{transactionId}`: a JWS of ``AppTransactionClaims``.
package struct AppTransactionInfoResponse: Hashable, Sendable, Codable {
    package var signedAppTransactionInfo: String

    package init(signedAppTransactionInfo: String) { self.signedAppTransactionInfo = signedAppTransactionInfo }
}

/// An error of the App Store Server API: `{"errorCode":4040010,"errorMessage":"Transaction id not found."}`.
package struct ServerAPIErrorResponse: Hashable, Sendable, Codable {
    /// Apple's number; its first three digits are the HTTP status.
    package var errorCode: Int
    /// Apple's sentence.
    package var errorMessage: String

    package init(errorCode: Int, errorMessage: String) {
        self.errorCode = errorCode
        self.errorMessage = errorMessage
    }
}

/// The body of `PUT /admin/v1/apps/{bundleId}/server-api`: `{"environment":"Production","appAppleId":1234567890}`.
package struct ServerAPISettings: Hashable, Sendable, Codable {
    /// The environment that signed payloads name.
    package var environment: AppStoreEnvironment
    /// Apple's number of the app, 1 or more; production needs it.
    package var appAppleId: Int64?

    package init(environment: AppStoreEnvironment = .sandbox, appAppleId: Int64? = nil) {
        self.environment = environment
        self.appAppleId = appAppleId
    }

    /// Reads a missing environment as the sandbox.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        environment = try container.decodeIfPresent(AppStoreEnvironment.self, forKey: .environment) ?? .sandbox
        appAppleId = try container.decodeIfPresent(Int64.self, forKey: .appAppleId)
    }
}

/// The body of `PUT /inApps/v1/subscriptions/extend/{originalTransactionId}`, with Apple's member names.
package struct ExtendRenewalDateBody: Hashable, Sendable, Codable {
    /// 1…90.
    package var extendByDays: Int?
    /// 0…3: undeclared, customer satisfaction, other, service issue or outage.
    package var extendReasonCode: Int?
    /// 1…128 characters, the server's own.
    package var requestIdentifier: String?
}

/// The response of ``AppStoreServerRoutes/extend``.
package struct ExtendRenewalDateResponse: Hashable, Sendable, Codable {
    package var originalTransactionId: String
    package var webOrderLineItemId: String?
    /// Always true: what cannot be extended is an error.
    package var success: Bool
    /// The new end of the period, milliseconds since 1970.
    package var effectiveDate: Int64?

    package init(
        originalTransactionId: String, webOrderLineItemId: String?, success: Bool, effectiveDate: Int64?
    ) {
        self.originalTransactionId = originalTransactionId
        self.webOrderLineItemId = webOrderLineItemId
        self.success = success
        self.effectiveDate = effectiveDate
    }
}

/// The body of `POST /inApps/v1/subscriptions/extend/mass`, with Apple's member names.
package struct MassExtendRenewalDateBody: Hashable, Sendable, Codable {
    /// 1…90.
    package var extendByDays: Int?
    /// As ``ExtendRenewalDateBody/extendReasonCode``.
    package var extendReasonCode: Int?
    /// 1…128 characters, the server's own.
    package var requestIdentifier: String?
    /// Alpha-3; absent for all storefronts.
    package var storefrontCountryCodes: [String]?
    package var productId: String?
}

/// The response of ``AppStoreServerRoutes/extendAll``.
package struct MassExtendRenewalDateResponse: Hashable, Sendable, Codable {
    package var requestIdentifier: String

    package init(requestIdentifier: String) { self.requestIdentifier = requestIdentifier }
}

/// The response of ``AppStoreServerRoutes/extensions``.
package struct MassExtendRenewalDateStatusResponse: Hashable, Sendable, Codable {
    package var requestIdentifier: String
    package var complete: Bool
    /// Milliseconds since 1970; absent, as the counts, until it is complete.
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
package struct AppAccountTokenBody: Hashable, Sendable, Codable {
    /// A UUID.
    package var appAccountToken: String?
}

/// The body of `PUT /inApps/v2/transactions/consumption/{transactionId}`, with Apple's member names.
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
