import EventLoop
import StoreModels

/// AppStoreServer with its notifications in memory. It delivers and signs nothing.
final class FakeAppStoreServer: Sendable {
    /// What there is, and what was asked for.
    struct Contents {
        var endpoint: NotificationEndpoint?
        /// Oldest first.
        var notifications: [ServerNotification] = []
        /// A customer of each, by the notification's UUID.
        var customers: [String: String] = [:]
        var isSettled = true
        var copies: [CopyAppRequest] = []
        /// Apps of isolated stores that were removed.
        var removed: [String] = []
        var failure: StoreError?
        var puts: [PutNotificationEndpointRequest] = []
        var lists: [NotificationsRequest] = []
        var histories: [NotificationHistoryRequest] = []
        var triggers: [TriggerNotificationRequest] = []
        var leases: [LeaseNotificationsRequest] = []
        var reports: [ReportAttemptRequest] = []
        var waits: [NotificationsSettledRequest] = []
    }

    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    let contents = Locked(Contents())
    let service: FakeService

    init(_ service: FakeService) {
        self.service = service
        serveEndpoints()
        serveNotifications()
        serveMaking()
        serveListeners()
    }

    /// A UUID by a number.
    static func uuid(_ number: Int) -> String {
        let digits = "\(number)"
        return "0f0e0d0c-0b0a-4908-8706-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    /// Makes notifications with one attempt each, delivered unless it is told to fail.
    @discardableResult
    func deliver(
        _ count: Int = 1, _ type: NotificationType = .didRenew, _ subtype: NotificationSubtype? = nil,
        result: SendAttemptResult? = .success, of bundleId: String = Sample.bundleId
    ) -> [String] {
        contents.withLock { contents in
            (0..<count).map { _ in
                let number = contents.notifications.count + 1
                var notification = ServerNotification(
                    notificationUUID: Self.uuid(number), bundleId: bundleId, notificationType: type,
                    subtype: subtype, at: Self.now + .seconds(number),
                    state: result == .success ? .delivered : .pending,
                    attempts: [
                        NotificationAttempt(
                            attemptDate: Self.now + .seconds(number), url: "http://localhost:3000/apple",
                            sendAttemptResult: result)
                    ])
                notification.signedPayload = "e30.\(number).e30"
                contents.notifications.append(notification)
                contents.customers[notification.notificationUUID] = FakePaymentQueue.customer
                return notification.notificationUUID
            }
        }
    }

    private func reading<Value>(_ read: (inout Contents) throws -> Value) throws -> Value {
        try contents.withLock { contents in
            if let failure = contents.failure { throw failure }
            return try read(&contents)
        }
    }

    private func serveEndpoints() {
        service.handle(NotificationEndpoints.getEndpoint) { [self] in try endpoint($0) }
        service.handle(NotificationEndpoints.copyApp) { [self] request in
            try reading { contents in
                contents.copies.append(request)
                return Empty()
            }
        }
        service.handle(NotificationEndpoints.removeApp) { [self] request in
            try reading { contents in
                contents.removed.append(request.bundleId)
                return RemoveAppReply(isDone: true)
            }
        }
        service.handle(NotificationEndpoints.deleteEndpoint) { [self] _ in
            try reading { contents in
                contents.endpoint = nil
                return Empty()
            }
        }
    }

    private func serveNotifications() {
        service.handle(NotificationEndpoints.get) { [self] in try get($0) }
        service.handle(NotificationEndpoints.list) { [self] request in
            try reading { contents in
                contents.lists.append(request)
                let newest = contents.notifications.reversed().map { notification in
                    with(notification) { $0.signedPayload = nil }
                }
                return NotificationsPage(
                    notifications: Array(newest.prefix(request.limit)),
                    after: newest.count > request.limit ? "n_1" : nil)
            }
        }
        service.handle(NotificationEndpoints.settled) { [self] request in
            try reading { contents in
                contents.waits.append(request)
                return NotificationsSettled(
                    settled: contents.isSettled, pending: contents.isSettled ? 0 : 1,
                    made: contents.notifications.count, delivered: contents.notifications.count)
            }
        }
    }

    private func serveMaking() {
        service.handle(NotificationEndpoints.resend) { [self] request in
            try reading { contents in
                let found = contents.notifications.firstIndex {
                    $0.notificationUUID.isExactly(request.notificationUUID) && $0.bundleId.isExactly(request.bundleId)
                }
                guard let found else { throw StoreError(.notFound, "there is no such notification") }
                guard let endpoint = contents.endpoint else {
                    throw StoreError(.transactionStateInvalid, "the app has no endpoint")
                }
                contents.notifications[found].attempts.append(
                    NotificationAttempt(attemptDate: Self.now, url: endpoint.url))
                return contents.notifications[found]
            }
        }
    }

    // MARK: Calls of handlers of HTTP requests

    func endpoint(_ request: AppRequest) throws -> NotificationEndpointReply {
        try reading { NotificationEndpointReply(endpoint: request.bundleId == Sample.bundleId ? $0.endpoint : nil) }
    }

    func putEndpoint(_ request: PutNotificationEndpointRequest) throws -> NotificationEndpointReply {
        guard request.endpoint.isListen || request.endpoint.url.hasPrefix("http") else {
            throw with(StoreError(.urlInvalid, "$.url: must begin with http:// or https://, or be listen:")) {
                $0.status = 400
            }
        }
        return try reading { contents in
            contents.puts.append(request)
            contents.endpoint = request.endpoint
            return NotificationEndpointReply(endpoint: request.endpoint)
        }
    }

    func get(_ request: NotificationRequest) throws -> ServerNotification {
        try reading { contents in
            let found = contents.notifications.first {
                $0.notificationUUID.isExactly(request.notificationUUID) && $0.bundleId.isExactly(request.bundleId)
            }
            guard let found else { throw StoreError(.notFound, "there is no such notification") }
            return found
        }
    }

    func history(_ request: NotificationHistoryRequest) throws -> NotificationHistoryPage {
        try reading { contents in
            contents.histories.append(request)
            let start = request.after.map(Int.init) ?? 0
            guard let start else { throw StoreError(.requestInvalid, "$.after: is not a place") }
            let selected = contents.notifications.filter { notification in
                (request.startDate...request.endDate).contains(notification.at)
                    && request.notificationType.map { $0 == notification.notificationType } ?? true
                    && request.subtype.map { $0 == notification.subtype } ?? true
                    && request.customerIdentifier.map {
                        $0.isExactly(contents.customers[notification.notificationUUID])
                    } ?? true && (!request.onlyFailures || notification.state != .delivered)
            }
            let page = selected.dropFirst(start).prefix(request.limit)
            return NotificationHistoryPage(
                notifications: Array(page),
                after: selected.count > start + page.count ? "\(start + page.count)" : nil)
        }
    }

    func test(_ request: AppRequest) throws -> TestNotificationReply {
        let endpoint = try reading { $0.endpoint }
        guard endpoint != nil, request.bundleId == Sample.bundleId else {
            throw StoreError(.notFound, "the app has no endpoint")
        }
        let uuid = deliver(1, .test, result: nil)[0]
        let at = try reading { $0.notifications.last?.at } ?? Self.now
        return TestNotificationReply(notificationUUID: uuid, at: at)
    }

    func trigger(_ request: TriggerNotificationRequest) throws -> ServerNotification {
        try reading { contents in
            contents.triggers.append(request)
            var made = ServerNotification(
                notificationUUID: Self.uuid(contents.triggers.count), bundleId: request.draft.bundleId,
                notificationType: request.draft.notificationType, subtype: request.draft.subtype, at: Self.now,
                state: .pending)
            made.account = request.account
            made.signedPayload = "e30.e30.e30"
            return made
        }
    }

    private func serveListeners() {
        service.handle(NotificationEndpoints.lease) { [self] request in
            try reading { contents in
                contents.leases.append(request)
                guard contents.endpoint?.isListen == true else {
                    throw StoreError(.transactionStateInvalid, "the endpoint is not listen:")
                }
                let attempts = contents.notifications.prefix(request.max).map {
                    LeaseNotificationsReply.Attempt(
                        attemptIdentifier: "a_\($0.notificationUUID)", notificationUUID: $0.notificationUUID,
                        notificationType: $0.notificationType, subtype: $0.subtype,
                        signedPayload: $0.signedPayload ?? "")
                }
                return LeaseNotificationsReply(attempts: attempts)
            }
        }
        service.handle(NotificationEndpoints.report) { [self] request in
            try reading { contents in
                contents.reports.append(request)
                let isThere = contents.notifications.contains {
                    "a_\($0.notificationUUID)".isExactly(request.attemptIdentifier)
                        && $0.bundleId.isExactly(request.bundleId)
                }
                guard isThere else {
                    throw StoreError(.notFound, "there is no such attempt")
                }
                return Empty()
            }
        }
    }
}
