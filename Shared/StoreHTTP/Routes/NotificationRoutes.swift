import StoreModels

/// The operator's view of the notifications that go to an app's server.
package enum NotificationRoutes {
    /// Reads where notifications go; `url` is null for an app without an endpoint.
    package static let endpoint = HTTPEndpoint<Empty, NotificationEndpointResponse>(
        .get, "/admin/v1/apps/{bundleId}/notifications/endpoint", .admin)
    /// Sets where notifications go.
    package static let putEndpoint = HTTPEndpoint<NotificationEndpointBody, NotificationEndpoint>(
        .put, "/admin/v1/apps/{bundleId}/notifications/endpoint", .admin)
    /// Removes the endpoint; what waits is kept.
    package static let deleteEndpoint = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/apps/{bundleId}/notifications/endpoint", .admin)
    /// Lists notifications, newest first, without their payloads.
    package static let list = HTTPEndpoint<Empty, NotificationsPage>(
        .get, "/admin/v1/apps/{bundleId}/notifications", .admin,
        query: ["notificationType", "subtype", "account", "state", "after", "limit"])
    /// Reads one notification with its payload and attempts.
    package static let get = HTTPEndpoint<Empty, ServerNotification>(
        .get, "/admin/v1/apps/{bundleId}/notifications/{notificationUUID}", .admin)
    /// Sends a notification once more, the same bytes.
    package static let resend = HTTPEndpoint<Empty, ServerNotification>(
        .post, "/admin/v1/apps/{bundleId}/notifications/{notificationUUID}/resend", .admin)
    /// Waits until nothing is due by the app's clock.
    package static let settled = HTTPEndpoint<Empty, NotificationsSettled>(
        .get, "/admin/v1/apps/{bundleId}/notifications/settled", .admin, query: ["timeout"])
    /// Brings about what a notification tells of, or only sends it.
    package static let trigger = HTTPEndpoint<TriggerNotificationBody, TriggerResponse>(
        .post, "/admin/v1/apps/{bundleId}/notifications/trigger", .admin)
    /// Takes notifications that are due at a `listen:` endpoint.
    package static let lease = HTTPEndpoint<LeaseNotificationsBody, LeaseNotificationsReply>(
        .post, "/admin/v1/apps/{bundleId}/notifications/lease", .admin)
    /// Reports the outcome of a leased attempt.
    package static let report = HTTPEndpoint<ReportAttemptBody, NoContent>(
        .post, "/admin/v1/apps/{bundleId}/notifications/attempts/{attemptIdentifier}", .admin)

    static let all: [HTTPRoute] = [
        endpoint.route, putEndpoint.route, deleteEndpoint.route, list.route, get.route, resend.route, settled.route,
        trigger.route, lease.route, report.route,
    ]
}
