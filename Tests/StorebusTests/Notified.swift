import EventLoop
import Foundation
import StoreHTTP
import StoreModels

@testable import Storebus

/// Notifications as the gateway would answer them.
enum Notified {
    static let app = "/admin/v1/apps/com.example.app"
    static let uuid = "3f2a1c9e-0000-5000-8000-000000000001"
    static let endpoint = NotificationEndpoint(url: "http://localhost:8080/apple", retry: .sandbox)

    static let payload = jws([
        "notificationType": "DID_RENEW", "notificationUUID": .string(uuid), "version": "2.0",
        "data": [
            "bundleId": "com.example.app",
            "signedTransactionInfo": .string(jws(["transactionId": "2000000000000001"])),
            "signedRenewalInfo": .string(jws(["autoRenewStatus": 1])),
        ],
    ])

    /// A JWS that only looks as if it were signed.
    static func jws(_ payload: JSONValue) -> String {
        ["{\"alg\":\"ES256\"}", JSONText.line(payload), "signature"].map { part in
            let standard = Data(part.utf8).base64EncodedString()
            return String(standard.compactMap { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0 })
        }.joined(separator: ".")
    }

    /// - Parameter number: The last digit of its UUID; a minute passes between two.
    static func notification(
        _ number: Int = 1, _ state: ServerNotification.State = .delivered, signed: Bool = false
    ) -> ServerNotification {
        var notification = ServerNotification(
            notificationUUID: String(uuid.dropLast(1)) + "\(number)", bundleId: "com.example.app",
            notificationType: .didRenew, at: Timestamp(milliseconds: 1_795_255_204_000 + Int64(number) * 60_000),
            state: state)
        notification.account = "alice"
        if state != .pending && state != .noEndpoint {
            var attempt = NotificationAttempt(
                attemptDate: notification.at, url: "http://localhost:3000/apple", sendAttemptResult: .success)
            attempt.httpStatus = 200
            attempt.durationMs = 12
            notification.attempts = [attempt]
        }
        if signed { notification.signedPayload = payload }
        return notification
    }

    static func page(_ notifications: [ServerNotification], after: String? = nil) -> JSONValue {
        JSONText.value(NotificationsPage(notifications: notifications, after: after))
    }

    static let answers: [String: JSONValue] = [
        "GET \(app)/notifications/endpoint": JSONText.value(endpoint),
        "PUT \(app)/notifications/endpoint": JSONText.value(endpoint),
        "DELETE \(app)/notifications/endpoint": .object([:]),
        "GET \(app)/notifications": page([notification()]),
        "GET \(app)/notifications/\(uuid)": JSONText.value(notification(signed: true)),
        "POST \(app)/notifications/\(uuid)/resend": JSONText.value(notification(signed: true)),
        "POST \(app)/notifications/trigger": JSONText.value(triggered),
        "GET \(app)/notifications/settled": JSONText.value(
            NotificationsSettled(settled: true, pending: 0, made: 3, delivered: 3)),
    ]

    /// A refund that was caused, of a purchase that was made for it.
    static let triggered: TriggerResponse = {
        var bought = Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001")
        let before = TriggerState(transaction: bought)
        bought.revocationDate = Timestamp(milliseconds: 1_795_255_264_000)
        let steps = [
            with(TriggerStep(.settings)) { $0.settings = TesterSettings(processor: .approve) },
            with(TriggerStep(.purchase)) {
                ($0.productIdentifier, $0.transactionIdentifier) = ("hidden-beaches", "2000000000000001")
            }, with(TriggerStep(.refund)) { $0.transactionIdentifier = "2000000000000001" },
        ]
        return TriggerResponse(
            notification: notification(1, .pending, signed: true),
            cause: TriggerCause(
                account: "trigger-1", isNewAccount: true, steps: steps, before: before,
                after: TriggerState(transaction: bought)))
    }()
}

/// A server of an app, which answers as the test says.
final class FakeAppServer: NotificationForwarder {
    struct Post: Hashable, Sendable {
        var signedPayload: String
        var url: String
        var time: Duration
    }

    private let seen = Locked<[Post]>([])
    private let outcome: ForwardOutcome

    init(_ outcome: ForwardOutcome = ForwardOutcome(status: 200, duration: .milliseconds(12), bodyStart: "ok")) {
        self.outcome = outcome
    }

    var posts: [Post] { seen.withLock { $0 } }

    func post(_ signedPayload: String, to url: String, within time: Duration) async -> ForwardOutcome? {
        seen.withLock { $0.append(Post(signedPayload: signedPayload, url: url, time: time)) }
        return outcome
    }
}
