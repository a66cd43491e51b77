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

    /// Copies an isolated store's endpoint and notifications into a new store, after all of PaymentQueue's events.
    /// - Throws: `requestInvalid` for stores of other apps or seeds, `serviceUnavailable` beside an attempt.
    public static let copyApp = Endpoint<CopyAppRequest, Empty>(
        .appStoreServer, "app.copy", isIdempotent: false, errors: [])
    /// Removes the stored data of an app, a part at a time.
    public static let removeApp = Endpoint<RemoveAppRequest, RemoveAppReply>(
        .appStoreServer, "app.remove", isIdempotent: true, errors: [])
}

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

/// Where an app's notifications go, and how often they are tried.
public struct NotificationEndpoint: Hashable, Sendable, Codable {
    /// The URL of an endpoint whose notifications are leased instead of sent.
    public static let listen = "listen:"
    /// The default of `timeoutMs`.
    public static let timeoutMsDefault = 5_000
    /// The bounds of `timeoutMs`.
    public static let timeoutMsRange = 100...60_000

    /// When a failed attempt is repeated.
    public enum Retry: String, CaseIterable, Sendable, Codable {
        /// Five more attempts, 1, 12, 24, 48 and 72 hours of the app's clock after the previous one.
        case apple
        /// No further attempts, as in Apple's sandbox.
        case sandbox
        /// Five more attempts, 1, 2, 4, 8 and 16 seconds of real time after the previous one.
        case fast

        /// Returns the retry that Apple uses in an environment.
        public static func usual(in environment: AppStoreEnvironment) -> Retry {
            environment == .production ? .apple : .sandbox
        }
    }

    /// `http://…`, `https://…` or `listen:`, kept as given.
    public var url: String
    public var retry: Retry
    /// Whether the app's environment decides `retry`, because the operator has not set it.
    public var retryFollowsEnvironment: Bool?
    /// How long one attempt may take, redirects included.
    public var timeoutMs: Int = timeoutMsDefault
    /// Whether notifications that are due together are sent in a random order.
    public var shuffle: Bool?
    /// Whether each delivered notification is sent once more.
    public var duplicate: Bool?

    /// Whether notifications are leased by listeners.
    public var isListen: Bool { url.isExactly(Self.listen) }
}

/// A notification before it is signed: the facts from which AppStoreServer makes Apple's payload.
public struct NotificationDraft: Hashable, Sendable, Codable {
    public var bundleId: String
    /// A UUID in lower case, the same in all attempts.
    public var notificationUUID: String
    public var notificationType: NotificationType
    public var subtype: NotificationSubtype?
    /// Business time of the event. Each further notification of the customer at that instant adds a millisecond.
    public var signedDate: Timestamp
    /// The customer's download of the app, or nil for a notification without a customer.
    public var appTransactionIdentifier: String?
    public var transaction: ServerTransaction?
    public var subscription: ServerSubscription?
    /// Why the customer asks for a refund, in a `CONSUMPTION_REQUEST` only.
    public var consumptionRequestReason: ConsumptionRequestReason?
    /// The content of a summary, or nil for any other notification.
    public var extensions: SubscriptionExtensions?
    /// Members of the payload that an operator's trigger replaces. Null removes one.
    public var set: [String: JSONValue]?
    /// The fault of the signature, set by an operator's trigger. Nil for a good signature.
    public var `break`: BrokenSignature?
}
