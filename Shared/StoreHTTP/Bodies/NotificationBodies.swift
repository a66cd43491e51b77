import StoreModels

/// The body of `PUT /admin/v1/apps/{bundleId}/notifications/endpoint`:
///
/// ```json
/// {"url":"http://localhost:8080/apple","retry":"fast"}
/// ```
///
/// ```json
/// {"url":"listen:"}
/// ```
package struct NotificationEndpointBody: Hashable, Sendable, Codable {
    /// `http://…`, `https://…`, or `listen:`, whose notifications are leased.
    package var url: String
    /// Left out, it is `apple` in Production, else `sandbox`.
    package var retry: NotificationEndpoint.Retry?
    /// Left out, it is 5000.
    package var timeoutMs: Int?
    /// Whether notifications that are due together are sent in a random order.
    package var shuffle: Bool?
    /// Whether each notification that was delivered is sent once more.
    package var duplicate: Bool?
}

/// The response of `GET /admin/v1/apps/{bundleId}/notifications/endpoint`: the endpoint's members, or `{"url":null}`.
package struct NotificationEndpointResponse: Hashable, Sendable, Codable {
    private enum CodingKeys: String, CodingKey { case url }

    /// Nil for an app without one.
    package var endpoint: NotificationEndpoint?

    package init(_ endpoint: NotificationEndpoint?) { self.endpoint = endpoint }

    package init(from decoder: any Decoder) throws {
        let url = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .url)
        endpoint = url == nil ? nil : try NotificationEndpoint(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        if let endpoint { return try endpoint.encode(to: encoder) }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeNil(forKey: .url)
    }
}

/// The body of `POST /admin/v1/apps/{bundleId}/notifications/lease`: `{"max":8,"waitMs":2000}`.
package struct LeaseNotificationsBody: Hashable, Sendable, Codable {
    /// The most notifications.
    package var max: Int
    /// How long to wait for the first one, in milliseconds.
    package var waitMs: Int
}

/// The body of `POST /admin/v1/apps/{bundleId}/notifications/attempts/{attemptIdentifier}`.
///
/// ```json
/// {"sendAttemptResult":"SUCCESS","httpStatus":200,"durationMs":12}
/// ```
///
/// ```json
/// {"sendAttemptResult":"SOCKET_ISSUE","bodyStart":"connection refused"}
/// ```
package struct ReportAttemptBody: Hashable, Sendable, Codable {
    package var sendAttemptResult: SendAttemptResult
    package var httpStatus: Int?
    package var durationMs: Int?
    /// The beginning of the response, or the error.
    package var bodyStart: String?
}

/// The body of `POST /inApps/v1/notifications/history`, with Apple's member names.
///
/// ```json
/// {"startDate":1795600000000,"endDate":1795700000000,"onlyFailures":true}
/// ```
///
/// ```json
/// {"startDate":1795600000000,"endDate":1795700000000,"notificationType":"DID_RENEW",
///  "notificationSubtype":"BILLING_RECOVERY"}
/// ```
package struct NotificationHistoryBody: Hashable, Sendable, Codable {
    /// Milliseconds since 1970, as `endDate`, at most 180 days ago.
    package var startDate: Int64?
    /// After `startDate`.
    package var endDate: Int64?
    package var notificationType: String?
    /// A subtype that goes with the type.
    package var notificationSubtype: String?
    /// Only this customer's notifications. Not allowed with `notificationType`.
    package var transactionId: String?
    /// The former name of `transactionId`.
    package var originalTransactionId: String?
    /// Only notifications whose last attempt has failed.
    package var onlyFailures: Bool?
}

/// An attempt as Apple's library reads it.
package struct SendAttemptItem: Hashable, Sendable, Codable {
    /// Milliseconds since 1970.
    package var attemptDate: Int64
    package var sendAttemptResult: SendAttemptResult

    /// - Returns: Nil for an attempt that is under way.
    package init?(_ attempt: NotificationAttempt) {
        guard let result = attempt.sendAttemptResult else { return nil }
        attemptDate = attempt.attemptDate.milliseconds
        sendAttemptResult = result
    }
}

/// The response of `POST /inApps/v1/notifications/history`, with Apple's member names.
package struct NotificationHistoryResponse: Hashable, Sendable, Codable {
    /// A notification that was sent.
    package struct Item: Hashable, Sendable, Codable {
        package var signedPayload: String
        /// Oldest first.
        package var sendAttempts: [SendAttemptItem]
        /// The result of the first attempt, as the API had it before it had all.
        package var firstSendAttemptResult: SendAttemptResult?

        package init(signedPayload: String, sendAttempts: [SendAttemptItem]) {
            self.signedPayload = signedPayload
            self.sendAttempts = sendAttempts
            firstSendAttemptResult = sendAttempts.first?.sendAttemptResult
        }
    }

    /// Valid for 24 hours of the app's clock. Absent on the last page.
    package var paginationToken: String?
    package var hasMore: Bool
    package var notificationHistory: [Item]

    package init(paginationToken: String?, notificationHistory: [Item]) {
        self.paginationToken = paginationToken
        hasMore = paginationToken != nil
        self.notificationHistory = notificationHistory
    }
}

/// The response of `POST /inApps/v1/notifications/test`.
package struct TestNotificationResponse: Hashable, Sendable, Codable {
    package var testNotificationToken: String
}

/// The response of `GET /inApps/v1/notifications/test/{testNotificationToken}`, with Apple's member names.
package typealias TestNotificationStatusResponse = NotificationHistoryResponse.Item
