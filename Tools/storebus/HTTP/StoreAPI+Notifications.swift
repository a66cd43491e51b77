import StoreHTTP
import StoreModels

/// Requests about the notifications of an app's server.
extension StoreAPI {
    /// `GET …/notifications/endpoint`; nil for an app without one.
    func notificationEndpoint(_ bundleId: String) async throws(CLIError) -> NotificationEndpoint? {
        try await call(NotificationRoutes.endpoint, [.bundleId: bundleId]).endpoint
    }

    /// `PUT …/notifications/endpoint`
    func putNotificationEndpoint(
        _ body: NotificationEndpointBody, bundleId: String
    ) async throws(CLIError) -> NotificationEndpoint {
        try await call(NotificationRoutes.putEndpoint, [.bundleId: bundleId], body: body)
    }

    /// `DELETE …/notifications/endpoint`: what waits is kept.
    func deleteNotificationEndpoint(_ bundleId: String) async throws(CLIError) {
        try await call(NotificationRoutes.deleteEndpoint, [.bundleId: bundleId])
    }

    /// `GET …/notifications`: one page, newest first, without payloads.
    func notifications(_ query: NotificationsRequest) async throws(CLIError) -> NotificationsPage {
        try await call(
            NotificationRoutes.list, [.bundleId: query.bundleId],
            query: [
                "notificationType": query.notificationType?.rawValue, "subtype": query.subtype?.rawValue,
                "account": query.account, "state": query.state?.rawValue, "after": query.after,
                "limit": "\(query.limit)",
            ])
    }

    /// `GET …/notifications/{notificationUUID}`: with its payload and attempts.
    func notification(_ uuid: String, bundleId: String) async throws(CLIError) -> ServerNotification {
        try await call(NotificationRoutes.get, [.bundleId: bundleId, .notificationUUID: uuid])
    }

    /// `POST …/notifications/{notificationUUID}/resend`: the same bytes, outside the schedule.
    func resendNotification(_ uuid: String, bundleId: String) async throws(CLIError) -> ServerNotification {
        try await call(NotificationRoutes.resend, [.bundleId: bundleId, .notificationUUID: uuid])
    }

    /// `POST …/notifications/trigger`
    func triggerNotification(
        _ body: TriggerNotificationBody, bundleId: String
    ) async throws(CLIError) -> TriggerResponse {
        try await call(NotificationRoutes.trigger, [.bundleId: bundleId], body: body, timeout: .seconds(35))
    }

    /// `POST …/notifications/lease`: begins attempts at a `listen:` endpoint.
    func leaseNotifications(
        _ bundleId: String, max: Int, within time: Duration
    ) async throws(CLIError) -> [LeaseNotificationsReply.Attempt] {
        let body = LeaseNotificationsBody(max: max, waitMs: Int(time / .milliseconds(1)))
        return try await call(
            NotificationRoutes.lease, [.bundleId: bundleId], body: body, timeout: time + .seconds(10)
        ).attempts
    }

    /// `POST …/notifications/attempts/{attemptIdentifier}`: the outcome of a leased attempt.
    func reportAttempt(_ attempt: String, _ body: ReportAttemptBody, bundleId: String) async throws(CLIError) {
        _ = try await exchange(
            request(NotificationRoutes.report, [.bundleId: bundleId, .attemptIdentifier: attempt]).with(body))
    }
}
