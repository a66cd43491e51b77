import Persistence
import StoreModels

/// Handles `lease` and `report`: attempts that a listener makes in AppStoreServer's place.
struct LeaseService: Sendable {
    /// Maximum time to wait for the first one.
    static let waitMsMax = 20_000
    /// Pause between two looks.
    static let pause: Duration = .milliseconds(100)
    /// Time that is left to the reply.
    static let replyMargin: Duration = .milliseconds(200)

    let database: any SQLDatabase
    let deliveries: DeliveryService

    /// Begins attempts of an app whose endpoint is `listen:`.
    /// - Throws: `requestInvalid`, or `transactionStateInvalid` for another endpoint.
    func lease(
        _ request: LeaseNotificationsRequest, deadline: ContinuousClock.Instant
    ) async throws -> LeaseNotificationsReply {
        let range = LeaseNotificationsRequest.maxRange
        guard range.contains(request.max) else {
            throw StoreError.invalid("$.max", "must be \(range.lowerBound) to \(range.upperBound)")
        }
        guard (0...Self.waitMsMax).contains(request.waitMs) else {
            throw StoreError.invalid("$.waitMs", "must be 0 to \(Self.waitMsMax)")
        }
        let last = min(deadline - Self.replyMargin, .now + .milliseconds(request.waitMs))
        while true {
            let endpoint = try await database.read { try await EndpointRepository.find(request.bundleId, in: $0) }
            guard let endpoint, endpoint.isListen else {
                throw StoreError(
                    .transactionStateInvalid,
                    "the endpoint of app '\(request.bundleId)' is not '\(NotificationEndpoint.listen)'; set it first")
            }
            let begun = try await deliveries.begin(
                request.bundleId, try await deliveries.clock(of: request.bundleId), limit: request.max,
                isLeased: true)
            guard begun.isEmpty || .now < deadline, !Task.isCancelled else {
                // The reply comes too late, so no listener gets them.
                try await deliveries.release(begun)
                throw StoreError(.deadlineExceeded, "the lease came too late; ask again")
            }
            if !begun.isEmpty || ContinuousClock.now + Self.pause > last {
                return LeaseNotificationsReply(attempts: begun.map(LeaseNotificationsReply.Attempt.init))
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Writes a listener's report. A repeated report, and one that comes too late, change nothing.
    /// - Throws: `notFound` for an attempt of another app.
    func report(_ request: ReportAttemptRequest) async throws -> Empty {
        let (found, notification) = try await database.read { reader in
            (
                try await AttemptRepository.find(request.attemptIdentifier, in: reader),
                try await NotificationRepository.claimed(
                    by: request.attemptIdentifier, of: request.bundleId, in: reader)
            )
        }
        guard let found, found.isLeased else {
            throw StoreError(.notFound, "attempt '\(request.attemptIdentifier)' not found")
        }
        guard !found.isOver, let notification else { return Empty() }
        try await deliveries.end(
            request.attemptIdentifier, of: notification, at: found.at,
            AttemptOutcome(
                request.sendAttemptResult, httpStatus: request.httpStatus, durationMs: request.durationMs,
                bodyStart: request.bodyStart.map { PrintableText($0) }))
        deliveries.wake()
        return Empty()
    }
}

extension LeaseNotificationsReply.Attempt {
    fileprivate init(_ begun: DeliveryService.Begun) {
        self.init(
            attemptIdentifier: begun.id,
            notificationUUID: begun.notification.uuid, notificationType: begun.notification.type,
            subtype: begun.notification.subtype, signedPayload: begun.payload
        )
    }
}
