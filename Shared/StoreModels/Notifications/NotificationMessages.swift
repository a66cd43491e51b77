/// Sets an app's endpoint.
public struct PutNotificationEndpointRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var endpoint: NotificationEndpoint
}

/// An app's endpoint.
public struct NotificationEndpointReply: Hashable, Sendable, Codable {
    /// Nil for an app without one.
    public var endpoint: NotificationEndpoint?
}

/// Asks for an app's notifications, newest first, for the operator.
public struct NotificationsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Members left out select all.
    public var notificationType: NotificationType?
    public var subtype: NotificationSubtype?
    public var account: String?
    public var state: ServerNotification.State?
    /// ``NotificationsPage/after`` of the page before.
    public var after: String?
    /// 1…100.
    public var limit: Int = 100
}

/// A page of notifications, without their payloads.
public struct NotificationsPage: Hashable, Sendable, Codable {
    public var notifications: [ServerNotification]
    /// Absent on the last page.
    public var after: String?
}

/// Names a notification of an app.
public struct NotificationRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// A UUID.
    public var notificationUUID: String
}

/// Asks for the notifications sent to an app's endpoint, oldest first, as in Apple's history.
public struct NotificationHistoryRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// Bounds of the business time of the event, both included.
    public var startDate: Timestamp
    public var endDate: Timestamp
    /// Members left out select all.
    public var notificationType: NotificationType?
    public var subtype: NotificationSubtype?
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String?
    /// Whether to select only notifications whose last attempt has failed.
    public var onlyFailures: Bool = false
    /// ``NotificationHistoryPage/after`` of the page before.
    public var after: String?
    /// 1…20.
    public var limit: Int = 20
}

/// A page of sent notifications.
public struct NotificationHistoryPage: Hashable, Sendable, Codable {
    /// Each with its payload and at least one attempt that has ended.
    public var notifications: [ServerNotification]
    /// Where the next page begins, or nil on the last page.
    public var after: String?
}

/// A test notification that was made.
public struct TestNotificationReply: Hashable, Sendable, Codable {
    public var notificationUUID: String
    /// Business time.
    public var at: Timestamp
}

/// Makes a notification without an event.
public struct TriggerNotificationRequest: Hashable, Sendable, Codable {
    /// The notification's content. AppStoreServer sets `notificationUUID` and `signedDate`.
    public var draft: NotificationDraft
    /// As ``OpenAccountReply/customerIdentifier``, or nil for a notification without a customer.
    public var customerIdentifier: String?
    public var account: String?
}

/// Asks for due notifications at a `listen:` endpoint and begins an attempt of each.
public struct LeaseNotificationsRequest: Hashable, Sendable, Codable {
    /// How many attempts a reply has at most. A reply has fewer if their payloads would not fit into it.
    public static let maxRange = 1...32

    public var bundleId: String
    /// In ``maxRange``.
    public var max: Int
    /// How long to wait for the first one, 0…20 000.
    public var waitMs: Int
}

/// Attempts that a listener has to make and report before the endpoint's `timeoutMs` is over.
public struct LeaseNotificationsReply: Hashable, Sendable, Codable {
    /// A leased notification.
    public struct Attempt: Hashable, Sendable, Codable {
        /// Names the attempt in the report.
        public var attemptIdentifier: String
        public var notificationUUID: String
        public var notificationType: NotificationType
        public var subtype: NotificationSubtype?
        /// The JWS to post as `{"signedPayload":"…"}`.
        public var signedPayload: String
    }

    public var attempts: [Attempt]
}

/// Reports the outcome of a leased attempt. A report after the lease has ended has no effect.
public struct ReportAttemptRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    public var attemptIdentifier: String
    public var sendAttemptResult: SendAttemptResult
    public var httpStatus: Int?
    public var durationMs: Int?
    /// The beginning of the response's body, or the failure, kept as ``PrintableText``.
    public var bodyStart: String?
}

/// Asks whether every due notification of an app was delivered or has failed.
public struct NotificationsSettledRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// How long to wait for it, 0…20 000.
    public var waitMs: Int
}

/// The state of an app's notifications by its clock.
public struct NotificationsSettled: Hashable, Sendable, Codable {
    /// Whether no notification is due by the app's clock or under way.
    public var settled: Bool
    /// Notifications that have an attempt due or under way.
    public var pending: Int
    /// Notifications ever made of the app.
    public var made: Int
    /// Notifications that were delivered.
    public var delivered: Int
}
