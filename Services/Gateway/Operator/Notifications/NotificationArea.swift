import BusService
import EventLoop
import FoundationEssentials
import GatewayEdge
import StoreHTTP
import StoreModels

/// The operator's view of the notifications that go to an app's server.
struct NotificationArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        [
            services.forward(NotificationRoutes.endpoint, to: NotificationEndpoints.getEndpoint) {
                AppRequest(bundleId: try await directories.existingApp($0))
            } reply: {
                try Reply(NotificationEndpointResponse($0.endpoint))
            },
            services.passThrough(NotificationRoutes.putEndpoint, app: directories.existingApp),
            services.forward(NotificationRoutes.deleteEndpoint, to: NotificationEndpoints.deleteEndpoint) {
                AppRequest(bundleId: try await directories.existingApp($0))
            },
            services.forward(NotificationRoutes.list, to: NotificationEndpoints.list) { call in
                var request = NotificationsRequest(
                    bundleId: try call.bundleId(), after: try call.after(), limit: try call.limit())
                request.notificationType = try call.query.choice("notificationType", NotificationType.self)
                request.subtype = try call.query.choice("subtype", NotificationSubtype.self)
                request.account = try call.accountFilter()
                request.state = try call.query.choice("state", ServerNotification.State.self)
                try await directories.apps.check(request.bundleId, call)
                return request
            },
            services.forward(NotificationRoutes.get, to: NotificationEndpoints.get) { try await notification($0) },
            services.forward(
                NotificationRoutes.resend, to: NotificationEndpoints.resend, else: .listOfNotificationsTells
            ) { try await notification($0) },
            // Waits until nothing is due by the app's clock, as long as the client and its deadline allow.
            services.forward(NotificationRoutes.settled, to: NotificationEndpoints.settled) { call in
                let timeout = try call.query.single("timeout").map(EventWait.duration) ?? EventWait.usual
                let bundleId = try await directories.existingApp(call)
                return NotificationsSettledRequest(
                    bundleId: bundleId, waitMs: call.wait(min(timeout, LeaseNotificationsBody.waitMax)))
            },
            services.forward(
                NotificationRoutes.lease, to: NotificationEndpoints.lease, else: .listOfNotificationsTells
            ) { call, body in
                let bundleId = try await directories.existingApp(call)
                return LeaseNotificationsRequest(
                    bundleId: bundleId, max: body.max, waitMs: call.wait(.milliseconds(body.waitMs)))
            },
            services.forward(NotificationRoutes.report, to: NotificationEndpoints.report) { call, body in
                let identifier = try call.parameter(.attemptIdentifier, of: "attempt")
                var request = ReportAttemptRequest(
                    bundleId: try await directories.existingApp(call), attemptIdentifier: identifier,
                    sendAttemptResult: body.sendAttemptResult)
                request.httpStatus = body.httpStatus
                request.durationMs = body.durationMs
                request.bodyStart = body.bodyStart
                return request
            },
        ]
    }

    /// Returns the notification that the path names of an existing app.
    private func notification(_ call: Call) async throws -> NotificationRequest {
        let notificationUUID = try call.notificationUUID()
        return NotificationRequest(
            bundleId: try await directories.existingApp(call), notificationUUID: notificationUUID)
    }
}

extension ServiceCaller {
    /// Waits in the time left of a request until AppStoreServer is done. An AppStoreServer that is away is passed over.
    func waitForNotifications(of bundleId: String, _ call: Call) async {
        let waitMs = call.wait(LeaseNotificationsBody.waitMax)
        guard waitMs > 0 else { return }
        let context = call.context(deadline: call.deadline - Call.answerTime / 2)
        _ = try? await self.call(
            NotificationEndpoints.settled, NotificationsSettledRequest(bundleId: bundleId, waitMs: waitMs),
            context: context)
    }
}

extension UnknownOutcome {
    /// For requests that make or send notifications.
    static let listOfNotificationsTells: UnknownOutcome =
        "the request was sent and its outcome is not known here; the list of notifications shows it"
}

extension Call {
    /// Returns the notification that the path names.
    /// - Throws: `notFound`.
    // Swift 6.3's optimizer crashes (coroutine splitting) on the caller that this is inlined into.
    @inline(never)
    fileprivate func notificationUUID() throws(StoreError) -> String {
        guard let text = UUIDText.read(try parameter(.notificationUUID, of: "notification")) else {
            throw .notFound("notification")
        }
        return text
    }

    /// The time that a response needs after a service has waited.
    static let answerTime = Duration.milliseconds(500)

    /// Returns how long a service may wait for a request that allows `duration`, in milliseconds.
    func wait(_ duration: Duration) -> Int {
        max(0, min(duration, deadline - .now - Self.answerTime).wholeMilliseconds)
    }
}

extension LeaseNotificationsBody: CheckedBody {
    /// The longest time that AppStoreServer waits for a request.
    fileprivate static let waitMax = Duration.seconds(20)

    package func validate() throws(StoreError) {
        let range = LeaseNotificationsRequest.maxRange
        guard range.contains(max) else {
            throw .invalid("$.max", "must be \(range.lowerBound) to \(range.upperBound)")
        }
        guard (0...Self.waitMax.wholeMilliseconds).contains(waitMs) else {
            throw .invalid("$.waitMs", "must be 0 to \(Self.waitMax.wholeMilliseconds)")
        }
    }
}

extension ReportAttemptBody: CheckedBody {
    /// The bounds of a report. A server's response has no others.
    private static let durationMsRange = 0...86_400_000
    private static let bodyStartLengthMax = 1024

    package func validate() throws(StoreError) {
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
