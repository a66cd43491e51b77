import BusService
import Persistence
import StoreModels

/// Handles `list`, `get`, `resend` and `settled`, and makes and finds notifications for clients' HTTP requests.
struct NotificationService: Sendable {
    /// Maximum number of notifications in one page of a list.
    static let pageMax = 100
    /// Maximum number of notifications in one page of the history, which have their payloads.
    static let historyMax = 20
    /// Maximum time to wait until everything is settled.
    static let waitMsMax = 20_000
    /// Pause between two looks.
    static let pause: Duration = .milliseconds(50)
    /// Time that is left to the reply.
    static let replyMargin: Duration = .milliseconds(200)

    let database: any SQLDatabase
    let collaborators: AppStoreCollaborators
    let signer: NotificationSigner
    let deliveries: DeliveryService

    // MARK: Reading

    /// Lists an app's notifications, newest first.
    /// - Throws: `requestInvalid`.
    func list(_ request: NotificationsRequest) async throws -> NotificationsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        guard let cursor = Int64(request.after ?? "\(Int64.max)") else { throw Self.unknownCursor }
        await deliveries.catchUpWithoutHints()
        return try await database.read { reader in
            let rows = try await NotificationRepository.list(
                request, before: cursor, limit: request.limit + 1, in: reader)
            let page = try ReplyBudget.fitting(
                try await Self.wire(Array(rows.prefix(request.limit)), payloads: [:], in: reader))
            return NotificationsPage(
                notifications: page,
                after: rows.count > page.count ? rows.prefix(page.count).last.map { "\($0.position)" } : nil)
        }
    }

    /// Reads a notification with its payload.
    /// - Throws: `notFound`.
    func get(_ request: NotificationRequest, deadline: ContinuousClock.Instant) async throws -> ServerNotification {
        let found = try await find(request)
        let signed = try await signer.payloads(of: [found.position], until: deadline - Self.replyMargin)
        if !signed.isEmpty { try await database.write { try await NotificationRepository.keep(signed, in: $0) } }
        return try await shown(request)
    }

    /// Lists the notifications sent of an app, oldest first.
    /// - Throws: `requestInvalid`.
    func history(_ request: NotificationHistoryRequest) async throws -> NotificationHistoryPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.historyMax)
        let cursor = try Self.cursor(in: request)
        return try await database.read { reader in
            let rows = try await NotificationRepository.history(
                request, after: cursor, limit: request.limit + 1, in: reader)
            let some = Array(rows.prefix(request.limit))
            let payloads = try await NotificationRepository.payloads(of: some.map(\.position), in: reader)
            let page = try ReplyBudget.fitting(try await Self.wire(some, payloads: payloads, in: reader))
            let last = rows.count > page.count ? rows.prefix(page.count).last : nil
            return NotificationHistoryPage(
                notifications: page, after: last.map { "\($0.signedAt.milliseconds)_\($0.position)" })
        }
    }

    private static func cursor(
        in request: NotificationHistoryRequest
    ) throws(StoreError) -> NotificationRepository.HistoryCursor {
        guard let after = request.after else {
            return NotificationRepository.HistoryCursor(signedAt: request.startDate.milliseconds, position: 0)
        }
        let parts = after.utf8.split(separator: UInt8(ascii: "_")).compactMap { Int64(Substring($0)) }
        guard parts.count == 2 else { throw unknownCursor }
        return NotificationRepository.HistoryCursor(signedAt: parts[0], position: parts[1])
    }

    private static let unknownCursor = StoreError.invalid("$.after", "is no page's")

    private static func wire(
        _ rows: [StoredNotification], payloads: [Int64: String], in reader: SQLReader
    ) async throws -> [ServerNotification] {
        let attempts = try await AttemptRepository.all(of: rows.map(\.position), in: reader)
        return rows.map { $0.wire(attempts[$0.position] ?? [], payload: payloads[$0.position]) }
    }

    private func find(_ request: NotificationRequest) async throws -> StoredNotification {
        let found = try await database.read { reader in
            try await NotificationRepository.find(request.notificationUUID, of: request.bundleId, in: reader)
        }
        guard let found else {
            throw StoreError(.notFound, "notification '\(request.notificationUUID)' not found")
        }
        return found
    }

    private func shown(_ request: NotificationRequest) async throws -> ServerNotification {
        let found = try await find(request)
        return try await database.read { reader in
            let attempts = try await AttemptRepository.all(of: [found.position], in: reader)
            let payloads = try await NotificationRepository.payloads(of: [found.position], in: reader)
            return found.wire(attempts[found.position] ?? [], payload: payloads[found.position])
        }
    }

    // MARK: Making

    /// Makes a notification of type TEST.
    /// - Throws: `notFound` for an app without an endpoint.
    func test(_ request: AppRequest, deadline: ContinuousClock.Instant) async throws -> TestNotificationReply {
        guard try await database.read({ try await EndpointRepository.find(request.bundleId, in: $0) }) != nil else {
            throw Self.noEndpoint(request.bundleId)
        }
        let now = try await collaborators.clock(request, deadline - Self.replyMargin).now
        var draft = NotificationDraft(
            bundleId: request.bundleId, notificationUUID: "", notificationType: .test, signedDate: now)
        draft.notificationUUID = try await uuid(of: draft)
        try await insert(NewNotification(draft: draft, eventAt: now), payload: nil)
        return TestNotificationReply(notificationUUID: draft.notificationUUID, at: now)
    }

    /// Makes a notification without an event, signed at once.
    /// - Throws: `requestInvalid`, or the error of the clock.
    func trigger(
        _ request: TriggerNotificationRequest, deadline: ContinuousClock.Instant
    ) async throws -> ServerNotification {
        var draft = request.draft
        guard draft.notificationType.subtypes.contains(draft.subtype) else {
            throw StoreError.invalid(
                "$.draft.subtype", "does not go with \(draft.notificationType.rawValue)")
        }
        let last = deadline - Self.replyMargin
        let now = try await collaborators.clock(AppRequest(bundleId: draft.bundleId), last).now
        draft.signedDate = now
        await deliveries.catchUpWithoutHints()
        draft.notificationUUID = try await uuid(of: draft)
        let signed = try await signer.sign([draft], CallContext(deadline: last))
        try await insert(
            NewNotification(
                draft: draft, customerIdentifier: request.customerIdentifier, account: request.account, eventAt: now),
            payload: signed.first)
        return try await shown(
            NotificationRequest(bundleId: draft.bundleId, notificationUUID: draft.notificationUUID))
    }

    /// Makes the UUID of a notification without an event.
    private func uuid(of draft: NotificationDraft) async throws -> String {
        guard let app = IsolatedApp(draft.bundleId) else { return NotificationUUID.random() }
        let row = try await database.read { reader in
            try await reader.queryOne(
                "SELECT COUNT(*) AS made FROM notification WHERE bundle_id = ? AND signed_at = ?", draft.bundleId,
                draft.signedDate.milliseconds)
        }
        // Never 0, which is an event's.
        return NotificationUUID.of(draft, in: app, ordinal: 1 + (try row?["made"] ?? 0))
    }

    /// Makes a notification due once more, now.
    /// - Throws: `notFound`, also for an app without an endpoint.
    func resend(_ request: NotificationRequest, deadline: ContinuousClock.Instant) async throws -> ServerNotification {
        let found = try await find(request)
        let now = try await collaborators.clock(
            AppRequest(bundleId: request.bundleId), deadline - Self.replyMargin
        ).now
        try await database.write { transaction in
            guard try await EndpointRepository.find(request.bundleId, in: transaction) != nil else {
                throw Self.noEndpoint(request.bundleId)
            }
            try await NotificationRepository.setDue(now, of: found.position, in: transaction)
        }
        deliveries.wake()
        return try await shown(request)
    }

    private func insert(_ new: NewNotification, payload: String?) async throws {
        try await database.write { transaction in
            let hasEndpoint = try await EndpointRepository.find(new.draft.bundleId, in: transaction) != nil
            try await NotificationRepository.insert(new, hasEndpoint: hasEndpoint, payload: payload, in: transaction)
        }
        deliveries.wake()
    }

    private static func noEndpoint(_ bundleId: String) -> StoreError {
        StoreError(
            .notFound,
            "app '\(bundleId)' has no notification endpoint; PUT /admin/v1/apps/\(bundleId)/notifications/endpoint")
    }

    // MARK: Waiting

    /// Waits until an app has no notification due by its clock.
    /// - Throws: `requestInvalid`, or the error of the clock.
    func settled(
        _ request: NotificationsSettledRequest, deadline: ContinuousClock.Instant
    ) async throws -> NotificationsSettled {
        guard (0...Self.waitMsMax).contains(request.waitMs) else {
            throw StoreError.invalid("$.waitMs", "must be 0 to \(Self.waitMsMax)")
        }
        let last = min(deadline - Self.replyMargin, .now + .milliseconds(request.waitMs))
        deliveries.wake()
        while true {
            let (isSettled, pending) = try await state(of: request.bundleId)
            if isSettled || ContinuousClock.now + Self.pause > last {
                let counts = try await database.read {
                    try await NotificationRepository.counts(of: request.bundleId, in: $0)
                }
                return NotificationsSettled(
                    settled: isSettled, pending: pending, made: counts.made, delivered: counts.delivered)
            }
            try await Task.sleep(for: Self.pause)
            deliveries.wake()
        }
    }

    private func state(of bundleId: String) async throws -> (isSettled: Bool, pending: Int) {
        let clock = try await deliveries.clock(of: bundleId)
        let (endpoint, pending) = try await database.read { reader in
            (
                try await EndpointRepository.find(bundleId, in: reader),
                try await NotificationRepository.pending(of: bundleId, through: clock.now, in: reader)
            )
        }
        return (clock.settled == clock.now && (pending == 0 || endpoint == nil), pending)
    }
}
