import StoreModels

/// The operator's view of the notifications that go to an app's server.
package enum NotificationRoutes {
    /// Reads the endpoint for notifications. The `url` is null for an app without an endpoint.
    package static let endpoint = HTTPEndpoint<Empty, NotificationEndpointResponse>(
        "getNotificationEndpoint", .get, "/admin/v1/apps/{bundleId}/notifications/endpoint", .admin)
    /// Sets where notifications go.
    ///
    /// The endpoint is for attempts from then on, also of notifications that are retried. Without `retry` it is `apple`
    /// in Production, else `sandbox`: one attempt.
    package static let putEndpoint = HTTPEndpoint<NotificationEndpointBody, NotificationEndpoint>(
        "putNotificationEndpoint", .put, "/admin/v1/apps/{bundleId}/notifications/endpoint", .admin,
        errors: [.endpointURLInvalid])
    /// Removes the endpoint.
    ///
    /// Notifications that wait go to the next endpoint.
    package static let deleteEndpoint = HTTPEndpoint<Empty, NoContent>(
        "deleteNotificationEndpoint", .delete, "/admin/v1/apps/{bundleId}/notifications/endpoint", .admin)
    /// Lists notifications, newest first, without their payloads.
    ///
    /// Members of the query narrow the list.
    package static let list = HTTPEndpoint<Empty, NotificationsPage>(
        "listNotifications", .get, "/admin/v1/apps/{bundleId}/notifications", .admin,
        parameters: [
            .notificationType, .notificationSubtype, .ofAccount,
            .state(ServerNotification.State.self, as: "notificationState", example: "failed"), .after, .limit,
        ])
    /// Reads one notification with its payload and attempts.
    ///
    /// The payload is signed now if it was not signed before.
    package static let get = HTTPEndpoint<Empty, ServerNotification>(
        "getNotification", .get, "/admin/v1/apps/{bundleId}/notifications/{notificationUUID}", .admin)
    /// Sends a notification once more, the same bytes.
    ///
    /// The attempt is outside the notification's schedule.
    package static let resend = HTTPEndpoint<Empty, ServerNotification>(
        "resendNotification", .post, "/admin/v1/apps/{bundleId}/notifications/{notificationUUID}/resend", .admin,
        errors: [.notificationState, .outcomeUnknown])
    /// Waits until no notification is due by the app's clock and no attempt is running.
    package static let settled = HTTPEndpoint<Empty, NotificationsSettled>(
        "waitForNotifications", .get, "/admin/v1/apps/{bundleId}/notifications/settled", .admin,
        parameters: [.settledWait], responses: [.ok("Whether they are settled now, or when the time was up.")])
    /// Causes the event of a notification, or only sends the notification.
    ///
    /// The event happens to an account that is made for it, unless `account` or `of` names one: `cause` has the steps,
    /// and the notification is the one that the event makes. Purchases that the event needs are dated back, so that it
    /// falls due now. With `onlySend`, and in any case for TEST, EXTERNAL_PURCHASE_TOKEN and RESCIND_CONSENT, the
    /// notification is made without an event. When a step fails, the error has `account` and `steps`: the steps before
    /// it, which stay. The timeout is half a minute unless Sb-Timeout is set.
    package static let trigger = HTTPEndpoint<TriggerNotificationBody, TriggerResponse>(
        "triggerNotification", .post, "/admin/v1/apps/{bundleId}/notifications/trigger", .admin,
        responses: [.created()], errors: [.transactionState, .noCause, .outcomeUnknown])
    /// Takes notifications that are due at a `listen:` endpoint.
    ///
    /// Each begins an attempt, and the client reports its outcome before the endpoint's `timeoutMs` is over. Otherwise
    /// the outcome is NO_RESPONSE. The request waits for the first notification at most `waitMs`, and not longer than
    /// Sb-Timeout allows.
    package static let lease = HTTPEndpoint<LeaseNotificationsBody, LeaseNotificationsReply>(
        "leaseNotifications", .post, "/admin/v1/apps/{bundleId}/notifications/lease", .admin,
        responses: [.ok("Notifications that are due, or none when the time is up.")],
        errors: [.notificationState, .outcomeUnknown])
    /// Reports the outcome of a leased attempt.
    ///
    /// A report after the lease has ended changes nothing.
    package static let report = HTTPEndpoint<ReportAttemptBody, NoContent>(
        "reportAttempt", .post, "/admin/v1/apps/{bundleId}/notifications/attempts/{attemptIdentifier}", .admin)
}

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
