/// AppStoreServer's request subjects about notifications, `sb.appstore.v1.…`.
public enum NotificationEndpoints {
    public static let getEndpoint = Endpoint<AppRequest, NotificationEndpointReply>(
        .appStoreServer, "endpoint.get", isIdempotent: true, errors: [])
    /// Removes an app's endpoint. Waiting notifications are kept and go to the next endpoint.
    public static let deleteEndpoint = Endpoint<AppRequest, Empty>(
        .appStoreServer, "endpoint.delete", isIdempotent: true, errors: [])
    public static let list = Endpoint<NotificationsRequest, NotificationsPage>(
        .appStoreServer, "notification.list", isIdempotent: true, errors: [])
    /// Reads a notification with its payload, which is signed first if necessary.
    public static let get = Endpoint<NotificationRequest, ServerNotification>(
        .appStoreServer, "notification.get", isIdempotent: true, errors: [.notFound])
    /// Sends a notification once more, outside its schedule.
    /// - Throws: `notFound`, also for an app without an endpoint.
    public static let resend = Endpoint<NotificationRequest, ServerNotification>(
        .appStoreServer, "notification.resend", isIdempotent: false, errors: [.notFound])
    /// - Throws: `transactionStateInvalid` unless the endpoint is `listen:`.
    public static let lease = Endpoint<LeaseNotificationsRequest, LeaseNotificationsReply>(
        .appStoreServer, "notification.lease", isIdempotent: false, errors: [.transactionStateInvalid])
    public static let report = Endpoint<ReportAttemptRequest, Empty>(
        .appStoreServer, "notification.report", isIdempotent: true, errors: [.notFound])
    public static let settled = Endpoint<NotificationsSettledRequest, NotificationsSettled>(
        .appStoreServer, "notification.settled", isIdempotent: true, errors: [])

    /// Removes the stored data of an isolated store's app, a part at a time.
    public static let removeApp = Endpoint<AppRequest, RemoveAppReply>(
        .appStoreServer, "app.remove", isIdempotent: true, errors: [])
}
