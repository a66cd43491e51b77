import BusService
import EventLoop
import Hummingbird
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Gateway {
    /// The operator's view of the notifications that go to an app's server.
    var notificationRoutes: [Route] {
        [
            Route(NotificationRoutes.endpoint) { [self] call in
                let request = AppRequest(bundleId: try await existingApp(call))
                return NotificationEndpointResponse(
                    try await services.call(NotifierEndpoints.getEndpoint, request, context: call.context()).endpoint)
            },
            Route(NotificationRoutes.putEndpoint) { [self] in try await putNotificationEndpoint($0) },
            Route(NotificationRoutes.deleteEndpoint) { [self] call in
                let request = AppRequest(bundleId: try await existingApp(call))
                _ = try await services.call(NotifierEndpoints.deleteEndpoint, request, context: call.context())
                return .noContent
            },
            Route(NotificationRoutes.list) { [self] in try await notifications($0) },
            Route(NotificationRoutes.get) { [self] call in
                let request = try await notificationRequest(call)
                return try await services.call(NotifierEndpoints.get, request, context: call.context())
            },
            Route(NotificationRoutes.resend) { [self] call in
                let request = try await notificationRequest(call)
                return try await changed(NotifierEndpoints.resend, request, call)
            },
            Route(NotificationRoutes.settled) { [self] in try await notificationsSettled($0) },
            Route(NotificationRoutes.trigger) { [self] in try await triggerNotification($0) },
            Route(NotificationRoutes.lease) { [self] in try await leaseNotifications($0) },
            Route(NotificationRoutes.report) { [self] in try await reportAttempt($0) },
        ]
    }

    /// The longest time that the notifier waits for a request.
    private static let waitMax = Duration.seconds(20)

    // MARK: Endpoints

    private func putNotificationEndpoint(_ call: Call) async throws -> NotificationEndpoint {
        let bundleId = try call.bundleId()
        let body = try await call.body(of: NotificationRoutes.putEndpoint)
        let range = NotificationEndpoint.timeoutMsRange
        if let timeoutMs = body.timeoutMs, !range.contains(timeoutMs) {
            throw StoreError.invalid("$.timeoutMs", "must be \(range.lowerBound) to \(range.upperBound)")
        }
        try await apps.check(bundleId, call)
        let usual = NotificationEndpoint.Retry.usual(in: try await serverApps.app(bundleId).environment)
        let endpoint = NotificationEndpoint(
            url: body.url, retry: body.retry ?? usual, retryFollowsEnvironment: body.retry == nil ? true : nil,
            timeoutMs: body.timeoutMs ?? NotificationEndpoint.timeoutMsDefault, shuffle: body.shuffle,
            duplicate: body.duplicate)
        let reply = try await services.call(
            NotifierEndpoints.putEndpoint, PutNotificationEndpointRequest(bundleId: bundleId, endpoint: endpoint),
            context: call.context())
        return reply.endpoint ?? endpoint
    }

    /// Gives an app's endpoint the schedule of another environment, unless the operator has chosen one.
    func followEnvironment(_ environment: AppStoreEnvironment, of bundleId: String, _ call: Call) async throws {
        let reply = try await services.call(
            NotifierEndpoints.getEndpoint, AppRequest(bundleId: bundleId), context: call.context())
        let usual = NotificationEndpoint.Retry.usual(in: environment)
        guard var endpoint = reply.endpoint, endpoint.retryFollowsEnvironment == true, endpoint.retry != usual else {
            return
        }
        endpoint.retry = usual
        _ = try await services.call(
            NotifierEndpoints.putEndpoint, PutNotificationEndpointRequest(bundleId: bundleId, endpoint: endpoint),
            context: call.context())
    }

    // MARK: Notifications

    private func notifications(_ call: Call) async throws -> NotificationsPage {
        var request = NotificationsRequest(
            bundleId: try call.bundleId(), after: try call.after(), limit: try call.limit())
        request.notificationType = try call.query.choice("notificationType", NotificationType.self)
        request.subtype = try call.query.choice("subtype", NotificationSubtype.self)
        request.account = try call.accountFilter()
        request.state = try call.query.choice("state", ServerNotification.State.self)
        try await apps.check(request.bundleId, call)
        return try await services.call(NotifierEndpoints.list, request, context: call.context())
    }

    /// Waits until nothing is due by the app's clock, as long as the client and its deadline allow.
    private func notificationsSettled(_ call: Call) async throws -> NotificationsSettled {
        let timeout = try call.query.single("timeout").map(EventWait.duration) ?? EventWait.usual
        let bundleId = try await existingApp(call)
        return try await services.call(
            NotifierEndpoints.settled,
            NotificationsSettledRequest(bundleId: bundleId, waitMs: call.wait(min(timeout, Self.waitMax))),
            context: call.context())
    }

    /// Waits in the time left of a request until the notifier is done. A notifier that is away is passed over.
    func waitForNotifications(of bundleId: String, _ call: Call) async {
        let waitMs = call.wait(Self.waitMax)
        guard waitMs > 0 else { return }
        let context = call.context(deadline: call.deadline - Call.answerTime / 2)
        _ = try? await services.call(
            NotifierEndpoints.settled, NotificationsSettledRequest(bundleId: bundleId, waitMs: waitMs),
            context: context)
    }

    // MARK: Listeners

    private func leaseNotifications(_ call: Call) async throws -> LeaseNotificationsReply {
        let bundleId = try call.bundleId()
        let body = try await call.body(of: NotificationRoutes.lease)
        let range = LeaseNotificationsRequest.maxRange
        guard range.contains(body.max) else {
            throw StoreError.invalid("$.max", "must be \(range.lowerBound) to \(range.upperBound)")
        }
        guard (0...Self.waitMax.wholeMilliseconds).contains(body.waitMs) else {
            throw StoreError.invalid("$.waitMs", "must be 0 to \(Self.waitMax.wholeMilliseconds)")
        }
        try await apps.check(bundleId, call)
        let request = LeaseNotificationsRequest(
            bundleId: bundleId, max: body.max, waitMs: call.wait(.milliseconds(body.waitMs)))
        return try await changed(NotifierEndpoints.lease, request, call)
    }

    private func reportAttempt(_ call: Call) async throws -> Reply<NoContent> {
        let bundleId = try call.bundleId()
        let body = try await call.body(of: NotificationRoutes.report)
        try body.validate()
        var request = ReportAttemptRequest(
            bundleId: bundleId, attemptIdentifier: try call.parameter(.attemptIdentifier, of: "attempt"),
            sendAttemptResult: body.sendAttemptResult)
        request.httpStatus = body.httpStatus
        request.durationMs = body.durationMs
        request.bodyStart = body.bodyStart
        try await apps.check(bundleId, call)
        _ = try await services.call(NotifierEndpoints.report, request, context: call.context())
        return .noContent
    }

    // MARK: Helpers

    /// Returns the app that the path names.
    /// - Throws: `notFound` for an app without a catalogue.
    private func existingApp(_ call: Call) async throws -> String {
        let bundleId = try call.bundleId()
        try await apps.check(bundleId, call)
        return bundleId
    }

    private func notificationRequest(_ call: Call) async throws -> NotificationRequest {
        let bundleId = try call.bundleId()
        guard let notificationUUID = NotificationUUID.text(try call.parameter(.notificationUUID, of: "notification"))
        else { throw StoreError.notFound("notification") }
        try await apps.check(bundleId, call)
        return NotificationRequest(bundleId: bundleId, notificationUUID: notificationUUID)
    }

    /// Calls the notifier to make or send notifications.
    /// - Throws: `outcomeUnknown` when it is not known whether it did.
    func changed<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, _ call: Call
    ) async throws -> Response {
        try await withKnownOutcome(
            else: "the request was sent and its outcome is not known here; the list of notifications shows it"
        ) { () async throws(StoreError) in try await services.call(endpoint, request, context: call.context()) }
    }
}

/// Reads UUIDs of notifications in any spelling.
enum NotificationUUID {
    /// Returns the form in lower case, as notifications are named; nil for text that is no UUID.
    static func text(_ text: String) -> String? {
        // 32 digits and 4 hyphens.
        guard text.utf8.count == 36 else { return nil }
        return UUID(uuidString: text)?.uuidString.lowercased()
    }
}

extension Call {
    /// The time that a response needs after a service has waited.
    static let answerTime = Duration.milliseconds(500)

    /// Returns how long a service may wait for a request that allows `duration`, in milliseconds.
    func wait(_ duration: Duration) -> Int {
        max(0, min(duration, deadline - .now - Self.answerTime).wholeMilliseconds)
    }
}

extension ReportAttemptBody {
    /// The bounds of a report. What a server responds has no others.
    private static let durationMsRange = 0...86_400_000
    private static let bodyStartLengthMax = 1024

    /// - Throws: `requestInvalid` that names the member.
    fileprivate func validate() throws(StoreError) {
        if let httpStatus, !(100...599).contains(httpStatus) {
            throw .invalid("$.httpStatus", "must be 100 to 599, or left out without a response")
        }
        if let durationMs, !Self.durationMsRange.contains(durationMs) {
            throw .invalid("$.durationMs", "must be 0 to \(Self.durationMsRange.upperBound)")
        }
        if let bodyStart, bodyStart.unicodeScalars.count > Self.bodyStartLengthMax {
            throw .invalid("$.bodyStart", "must be at most \(Self.bodyStartLengthMax) characters long")
        }
    }
}
