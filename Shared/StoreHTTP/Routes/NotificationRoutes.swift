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

    static let all: [any HTTPOperation] = [
        endpoint, putEndpoint, deleteEndpoint, list, get, resend, settled,
        trigger, lease, report,
    ]
}
