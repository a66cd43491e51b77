import BusService
import FoundationEssentials
import Signing
import StoreHTTP
import StoreModels

extension AppleServer {
    /// The App Store Server API's part about notifications.
    var serverNotificationRoutes: [ServerRoute] {
        [
            ServerRoute(AppStoreServerRoutes.notificationHistory) { [self] in try await notificationHistory($0) },
            ServerRoute(AppStoreServerRoutes.testNotification) { [self] in try await testNotification($0) },
            ServerRoute(AppStoreServerRoutes.testNotificationStatus) { [self] in try await testNotificationStatus($0) },
        ]
    }

    // MARK: Tests

    private func testNotification(_ call: ServerCall) async throws -> TestNotificationResponse {
        let app = try call.app(else: .serverNotificationURLNotFound)
        let made = try await server([.notFound: .serverNotificationURLNotFound]) {
            try await notifications.test(AppRequest(bundleId: app.bundleId), call.deadline)
        }
        return TestNotificationResponse(testNotificationToken: TestNotificationToken(made).text)
    }

    private func testNotificationStatus(_ call: ServerCall) async throws -> TestNotificationStatusResponse {
        let token = try TestNotificationToken(call.parameters[.testNotificationToken])
        let app = try call.app(else: .testNotificationNotFound)
        let found = try await server([.notFound: .testNotificationNotFound]) {
            try await notifications.get(
                NotificationRequest(bundleId: app.bundleId, notificationUUID: token.notificationUUID), call.deadline)
        }
        let attempts = found.attempts.compactMap(SendAttemptItem.init)
        guard found.notificationType == .test, found.at == token.at, !attempts.isEmpty,
            let signedPayload = found.signedPayload
        else { throw ServerAPIError.testNotificationNotFound }
        return TestNotificationStatusResponse(signedPayload: signedPayload, sendAttempts: attempts)
    }

    // MARK: History

    /// Notifications in a page of the history.
    private static let notificationPage = 20

    private func notificationHistory(_ call: ServerCall) async throws -> NotificationHistoryResponse {
        let body = try call.serverBody(
            NotificationHistoryBody.self,
            else: [
                "$.startDate": .invalidStartDate, "$.endDate": .invalidEndDate,
                "$.notificationType": .invalidNotificationType, "$.notificationSubtype": .invalidNotificationType,
                "$.transactionId": .invalidTransactionId, "$.originalTransactionId": .invalidTransactionId,
            ])
        let query = try NotificationHistoryQuery(body)
        let app = try call.app()
        let now = try await clock(of: app.bundleId, call.context)
        try query.checkStart(now: now)
        var customer: String?
        if let transaction = query.transactionId {
            customer = try await lookup(transaction, app, call).customerIdentifier
        }
        let scope = query.scope(bundleId: app.bundleId, customerIdentifier: customer)
        let token = try call.query.last("paginationToken").map { text throws(ServerAPIError) in
            try PaginationToken(text, scope: scope, now: now)
        }
        let request = with(
            NotificationHistoryRequest(
                bundleId: app.bundleId, startDate: query.startDate, endDate: query.endDate,
                onlyFailures: query.onlyFailures, after: token?.after, limit: Self.notificationPage)
        ) {
            $0.notificationType = query.notificationType
            $0.subtype = query.subtype
            $0.customerIdentifier = customer
        }
        // A cursor that is refused comes from a changed token.
        let page = try await server([.requestInvalid: token == nil ? .generalBadRequest : .invalidPaginationToken]) {
            try await notifications.history(request)
        }
        return NotificationHistoryResponse(
            paginationToken: page.after.map { PaginationToken(after: $0, issuedAt: now, scope: scope).text },
            notificationHistory: try page.notifications.map { notification in
                guard let signedPayload = notification.signedPayload else {
                    throw StoreError(.internal, "notification \(notification.notificationUUID) has no payload")
                }
                return .init(
                    signedPayload: signedPayload,
                    sendAttempts: notification.attempts.compactMap(SendAttemptItem.init))
            })
    }
}

/// The selection of a request for the history of notifications.
struct NotificationHistoryQuery: Hashable, Sendable {
    /// How far back the history goes.
    static let reach = Duration.seconds(180 * 24 * 3600)
    /// The age of a request that asks for all of it, when it arrives.
    private static let latency = Duration.seconds(60)

    let startDate: Timestamp
    let endDate: Timestamp
    let notificationType: NotificationType?
    let subtype: NotificationSubtype?
    let transactionId: String?
    let onlyFailures: Bool

    /// - Throws: The error of the first invalid member.
    init(_ body: NotificationHistoryBody) throws(ServerAPIError) {
        guard let start = body.startDate.flatMap(HistoryQuery.instant) else { throw .invalidStartDate }
        guard let end = body.endDate.flatMap(HistoryQuery.instant) else { throw .invalidEndDate }
        guard start < end else { throw .startDateAfterEndDate }
        (startDate, endDate) = (start, end)
        (notificationType, subtype) = try Self.type(body)
        let identifier = body.transactionId ?? body.originalTransactionId
        guard notificationType == nil || identifier == nil else { throw .multipleFiltersSupplied }
        if let text = identifier {
            transactionId = try ServerCall.transactionId(text)
        } else {
            transactionId = nil
        }
        onlyFailures = body.onlyFailures ?? false
    }

    private static func type(
        _ body: NotificationHistoryBody
    ) throws(ServerAPIError) -> (NotificationType?, NotificationSubtype?) {
        guard let name = body.notificationType else {
            guard body.notificationSubtype == nil else { throw .invalidNotificationType }
            return (nil, nil)
        }
        guard let type = NotificationType(rawValue: name) else { throw .invalidNotificationType }
        guard let name = body.notificationSubtype else { return (type, nil) }
        guard let subtype = NotificationSubtype(rawValue: name), type.subtypes.contains(subtype) else {
            throw .invalidNotificationType
        }
        return (type, subtype)
    }

    /// - Parameter now: The app's clock.
    /// - Throws: `startDateTooFarInPast`.
    func checkStart(now: Timestamp) throws(ServerAPIError) {
        guard startDate + Self.reach + Self.latency >= now else { throw .startDateTooFarInPast }
    }

    /// Makes a digest of the scope that its pages belong to.
    func scope(bundleId: String, customerIdentifier: String?) -> String {
        HistoryRevision.scope(of: [
            bundleId, customerIdentifier ?? "", "\(startDate.milliseconds)", "\(endDate.milliseconds)",
            notificationType?.rawValue ?? "", subtype?.rawValue ?? "", "\(onlyFailures)",
        ])
    }
}

/// The `paginationToken` of a page: the cursor of the next one, the query, and the time of issue.
///
/// A client sends it back with the same body. It expires after 24 hours of the app's clock.
struct PaginationToken: Hashable, Sendable {
    /// How long a token is good.
    static let lifetime = Duration.seconds(24 * 3600)

    /// As ``NotificationHistoryPage/after``.
    let after: String
    /// By the app's clock.
    let issuedAt: Timestamp
    /// The scope that the token belongs to.
    let scope: String

    init(after: String, issuedAt: Timestamp, scope: String) {
        self.after = after
        self.issuedAt = issuedAt
        self.scope = scope
    }

    /// Reads a token that belongs to a scope.
    /// - Parameter now: The app's clock.
    /// - Throws: `invalidPaginationToken`, `paginationTokenExpired`.
    init(_ text: String, scope: String, now: Timestamp) throws(ServerAPIError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "_"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let issued = Int64(Substring(parts[0])), let issuedAt = HistoryQuery.instant(issued),
            let bytes = Base64URL.decode(Substring(parts[2])), let after = String(validating: bytes, as: UTF8.self),
            !after.isEmpty
        else { throw .invalidPaginationToken }
        self.init(after: after, issuedAt: issuedAt, scope: scope)
        guard digest.isExactly(String(Substring(parts[1]))) else { throw .invalidPaginationToken }
        guard now <= issuedAt + Self.lifetime else { throw .paginationTokenExpired }
    }

    /// Covers every part, so that a token of another scope, and one that was changed, is noticed.
    private var digest: String { HistoryRevision.scope(of: [scope, "\(issuedAt.milliseconds)", after]) }

    var text: String {
        let cursor = Data(after.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        return "\(issuedAt.milliseconds)_\(digest)_\(cursor)"
    }
}

/// The token of a test notification: its UUID and the instant it was made at.
struct TestNotificationToken: Hashable, Sendable {
    /// In lower case.
    let notificationUUID: String
    /// By the app's clock.
    let at: Timestamp

    init(_ made: TestNotificationReply) {
        notificationUUID = made.notificationUUID
        at = made.at
    }

    /// - Throws: `invalidTestNotificationToken` for text of another form.
    init(_ text: String?) throws(ServerAPIError) {
        let parts = (text ?? "").utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
        guard parts.count == 2, let uuid = UUIDText.read(String(Substring(parts[0]))),
            let milliseconds = Int64(Substring(parts[1])), let at = HistoryQuery.instant(milliseconds)
        else { throw .invalidTestNotificationToken }
        notificationUUID = uuid
        self.at = at
    }

    var text: String { "\(notificationUUID)_\(at.milliseconds)" }
}
