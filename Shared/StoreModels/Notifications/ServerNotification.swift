/// A notification with its attempts, as the operator sees it.
///
/// ```json
/// {"notificationUUID":"0f0e0d0c-0b0a-4908-8706-050403020100","bundleId":"com.example.app",
///  "notificationType":"DID_RENEW","account":"alice","at":"2026-12-21T10:00:00.000Z","state":"retrying",
///  "attempts":[{"attemptDate":"2026-12-21T10:00:00.000Z","url":"http://localhost:3000/apple",
///  "sendAttemptResult":"UNSUCCESSFUL_HTTP_RESPONSE_CODE","httpStatus":500,"durationMs":12,"bodyStart":"out of order"}],
///  "nextAttemptAt":"2026-12-21T11:00:00.000Z"}
/// ```
public struct ServerNotification: Hashable, Sendable, Codable {
    /// How far its delivery is.
    public enum State: String, CaseIterable, Sendable, Codable {
        /// No attempt has been made.
        case pending
        /// An attempt has failed and another one follows.
        case retrying
        case delivered
        /// All attempts have failed.
        case failed
        /// The app had no endpoint when it was made.
        case noEndpoint
    }

    /// The same in all attempts, in lower case.
    public var notificationUUID: String
    @ShownApp public var bundleId: String
    public var notificationType: NotificationType
    public var subtype: NotificationSubtype?
    /// The shopper's name, absent for a notification without a customer.
    public var account: String?
    /// Business time of the event.
    public var at: Timestamp
    public var state: State
    /// The JWS. Absent until it is signed, and in lists.
    public var signedPayload: String?
    /// Oldest first.
    public var attempts: [NotificationAttempt] = []
    /// When the next attempt is due, by the app's clock. Absent if none is due, and with the retry `fast`.
    public var nextAttemptAt: Timestamp?
}

/// One attempt to deliver a notification.
public struct NotificationAttempt: Hashable, Sendable, Codable {
    /// Business time of the attempt.
    public var attemptDate: Timestamp
    /// The endpoint's URL when the attempt began, `listen:` for a listener's. Redirects begin there.
    public var url: String
    /// Absent while it is under way.
    public var sendAttemptResult: SendAttemptResult?
    /// The status of the last response, absent without one.
    public var httpStatus: Int?
    /// How long it took.
    public var durationMs: Int?
    /// The beginning of the response's body, or the failure.
    public var bodyStart: String?
}

/// The outcome of an attempt, in Apple's words.
public enum SendAttemptResult: String, CaseIterable, Sendable, Codable {
    case success = "SUCCESS"
    case timedOut = "TIMED_OUT"
    case tlsIssue = "TLS_ISSUE"
    case circularRedirect = "CIRCULAR_REDIRECT"
    /// The server closed the connection, or a listener did not report.
    case noResponse = "NO_RESPONSE"
    /// No connection: a closed port, an unknown host, or an address that is refused.
    case socketIssue = "SOCKET_ISSUE"
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    /// The response was not HTTP.
    case invalidResponse = "INVALID_RESPONSE"
    /// The body ended early.
    case prematureClose = "PREMATURE_CLOSE"
    case unsuccessfulResponse = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    case other = "OTHER"
}
