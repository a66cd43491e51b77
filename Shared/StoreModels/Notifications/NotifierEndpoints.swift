/// The notifier's request subjects, `sb.notifier.v1.…`.
public enum NotifierEndpoints {
    public static let getEndpoint = Endpoint<AppRequest, NotificationEndpointReply>(
        .notifier, "endpoint.get", isIdempotent: true, errors: [])
    /// Sets an app's endpoint. It holds for attempts from then on, including those of retried notifications.
    public static let putEndpoint = Endpoint<PutNotificationEndpointRequest, NotificationEndpointReply>(
        .notifier, "endpoint.put", isIdempotent: true, errors: [.urlInvalid])
    /// Removes an app's endpoint. Waiting notifications are kept and go to the next endpoint.
    public static let deleteEndpoint = Endpoint<AppRequest, Empty>(
        .notifier, "endpoint.delete", isIdempotent: true, errors: [])
    public static let list = Endpoint<NotificationsRequest, NotificationsPage>(
        .notifier, "list", isIdempotent: true, errors: [])
    /// Reads a notification with its payload, which is signed first if necessary.
    /// - Throws: `serviceUnavailable` when no gateway can sign.
    public static let get = Endpoint<NotificationRequest, ServerNotification>(
        .notifier, "get", isIdempotent: true, errors: [.notFound])
    public static let history = Endpoint<NotificationHistoryRequest, NotificationHistoryPage>(
        .notifier, "history", isIdempotent: true, errors: [])
    /// Makes a notification of type TEST.
    /// - Throws: `notFound` for an app without an endpoint.
    public static let test = Endpoint<AppRequest, TestNotificationReply>(
        .notifier, "test", isIdempotent: false, errors: [.notFound])
    /// Sends a notification once more, outside its schedule.
    /// - Throws: `notFound`, also for an app without an endpoint.
    public static let resend = Endpoint<NotificationRequest, ServerNotification>(
        .notifier, "resend", isIdempotent: false, errors: [.notFound])
    /// Makes a notification without an event.
    /// - Throws: `requestInvalid` for a subtype that does not go with the type, and for a draft that cannot be signed.
    public static let trigger = Endpoint<TriggerNotificationRequest, ServerNotification>(
        .notifier, "trigger", isIdempotent: false, errors: [.notFound])
    /// - Throws: `transactionStateInvalid` unless the endpoint is `listen:`.
    public static let lease = Endpoint<LeaseNotificationsRequest, LeaseNotificationsReply>(
        .notifier, "lease", isIdempotent: false, errors: [.transactionStateInvalid])
    public static let report = Endpoint<ReportAttemptRequest, Empty>(
        .notifier, "report", isIdempotent: true, errors: [.notFound])
    public static let settled = Endpoint<NotificationsSettledRequest, NotificationsSettled>(
        .notifier, "settled", isIdempotent: true, errors: [])

    /// Removes the stored data of an isolated store's app, a part at a time.
    public static let removeApp = Endpoint<AppRequest, RemoveAppReply>(
        .notifier, "app.remove", isIdempotent: true, errors: [])
}
