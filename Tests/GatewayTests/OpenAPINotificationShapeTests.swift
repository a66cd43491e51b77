import StoreHTTP
import StoreModels
import Testing

@testable import Gateway

/// The schemas of notifications are what is written and read.
@Suite struct OpenAPINotificationShapeTests {
    private let document: OpenAPIDocument

    init() throws { document = try OpenAPIDocument() }

    private func members(_ schema: String) throws -> Set<String> {
        let schema = try #require(document.schema(schema), "\(schema)")
        return Set((schema["properties"]?.objectValue ?? [:]).keys)
    }

    private func written(_ value: some Encodable) throws -> Set<String> {
        Set((try StrictJSON.parse(try StoreJSON.encode(value)).objectValue ?? [:]).keys)
    }

    private func values(_ schema: String) -> [String] {
        (document.schema(schema)?["enum"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    @Test func `enumerations have the models' names, in their order`() {
        #expect(values("NotificationType") == NotificationType.allCases.map(\.rawValue))
        #expect(values("NotificationSubtype") == NotificationSubtype.allCases.map(\.rawValue))
        #expect(values("NotificationRetry") == NotificationEndpoint.Retry.allCases.map(\.rawValue))
        #expect(values("NotificationState") == ServerNotification.State.allCases.map(\.rawValue))
        #expect(values("SendAttemptResult") == SendAttemptResult.allCases.map(\.rawValue))
    }

    @Test func `what operators read has the members that are written`() throws {
        let endpoint = NotificationEndpoint(
            url: "listen:", retry: .fast, retryFollowsEnvironment: true, shuffle: true, duplicate: true)
        #expect(try members("NotificationEndpoint") == written(endpoint))
        #expect(try members("NotificationEndpointState") == written(NotificationEndpointResponse(endpoint)))
        #expect(try written(NotificationEndpointResponse(nil)) == ["url"])
        let attempt = with(NotificationAttempt(attemptDate: .wallClock(), sendAttemptResult: .success)) {
            ($0.httpStatus, $0.durationMs, $0.bodyStart) = (200, 1, "b")
        }
        #expect(try members("NotificationAttempt") == written(attempt))
        let notification = with(
            ServerNotification(
                notificationUUID: "u", bundleId: "a", notificationType: .expired, subtype: .voluntary, at: .wallClock(),
                state: .failed)
        ) { ($0.account, $0.signedPayload, $0.nextAttemptAt) = ("alice", "j", .wallClock()) }
        #expect(try members("Notification") == written(notification))
        let step = with(TriggerStep(.pastPurchase)) {
            ($0.productIdentifier, $0.offer, $0.transactionIdentifier) = ("p", RedeemedOffer(type: .code), "1")
            ($0.at, $0.reason, $0.settings) = (.wallClock(), .other, TesterSettings())
            $0.refundRequestIdentifier = "q"
        }
        #expect(try members("TriggerStep") == written(step))
        #expect(
            document.schema("TriggerStep")?["properties"]?["action"]?["enum"]?.arrayValue?.compactMap(\.stringValue)
                == TriggerStep.Action.allCases.map(\.rawValue))
        let state = TriggerState(transaction: Sample.purchased("t_1"), subscription: Sample.subscription)
        #expect(try members("TriggerState") == written(state))
        let cause = TriggerCause(account: "a", isNewAccount: true, steps: [step], before: state, after: state)
        #expect(try members("TriggerCause") == written(cause))
        #expect(
            try written(TriggerResponse(notification: notification, cause: cause))
                == written(notification).union(["cause"]))
        let environment = StoreEnvironment(url: "u", bundleId: "b", issuerId: "i", keyId: "k", rootCertificate: "r")
        #expect(try members("StoreEnvironment") == written(environment))
        #expect(try members("Notifications") == written(NotificationsPage(notifications: [], after: "a")))
        let settled = NotificationsSettled(settled: true, pending: 0, made: 0, delivered: 0)
        #expect(try members("NotificationsSettled") == written(settled))
        let leased = LeaseNotificationsReply.Attempt(
            attemptIdentifier: "a", notificationUUID: "u", notificationType: .expired, subtype: .voluntary,
            signedPayload: "j")
        #expect(try members("LeasedNotification") == written(leased))
        #expect(try members("LeasedNotifications") == written(LeaseNotificationsReply(attempts: [])))
    }

    @Test func `what operators send has the members that are read`() throws {
        #expect(
            try members("NotificationEndpointSetting") == known(NotificationEndpointBody.self, #"{"url":"listen:"}"#))
        #expect(
            try members("NotificationTrigger") == known(TriggerNotificationBody.self, #"{"notificationType":"TEST"}"#))
        #expect(try members("LeaseSetting") == known(LeaseNotificationsBody.self, #"{"max":1,"waitMs":0}"#))
        #expect(
            try members("AttemptReport") == known(ReportAttemptBody.self, #"{"sendAttemptResult":"SUCCESS"}"#))
    }

    @Test func `Apple's operations have Apple's members`() throws {
        #expect(try members("ServerNotificationQuery") == known(NotificationHistoryBody.self))
        let history = NotificationHistoryResponse(paginationToken: "p", notificationHistory: [])
        #expect(try members("ServerNotificationHistory") == written(history))
        let attempt = try #require(
            SendAttemptItem(NotificationAttempt(attemptDate: .wallClock(), sendAttemptResult: .success)))
        #expect(try members("ServerSendAttempt") == written(attempt))
        let items = document.schema("ServerNotificationHistory")?["properties"]?["notificationHistory"]?["items"]
        let item = NotificationHistoryResponse.Item(signedPayload: "j", sendAttempts: [attempt])
        #expect(try Set((items?["properties"]?.objectValue ?? [:]).keys) == written(item))
        #expect(try members("ServerTestNotification") == written(TestNotificationResponse(testNotificationToken: "t")))
        let status = TestNotificationStatusResponse(signedPayload: "j", sendAttempts: [attempt])
        #expect(try members("ServerTestNotificationStatus") == written(status))
    }

    @Test func `payloads have the members the gateway signs`() throws {
        var draft = NotificationDraft(
            bundleId: "a", notificationUUID: "u", notificationType: .expired, subtype: .voluntary,
            signedDate: .wallClock())
        let item = ReceiptItem(
            transactionIdentifier: "1", originalTransactionIdentifier: "1", productIdentifier: "p",
            type: .autoRenewable, quantity: 1, purchaseDate: .wallClock(), originalPurchaseDate: .wallClock())
        let transaction = ServerTransaction(
            item: item, price: nil, storefront: "USA", reason: .purchase, modifiedSeq: 1)
        draft.consumptionRequestReason = .other
        draft.subscription = ServerSubscription(
            subscription: Sample.subscription, transaction: transaction, recentStart: .wallClock())
        let claims = NotificationClaims(
            draft, of: ServerApp(bundleId: "a", environment: .production, appAppleId: 1), bundleVersion: "1",
            transaction: "t", renewal: "r")
        var ended = draft
        ended.extensions = SubscriptionExtensions(
            requestIdentifier: "r", productIdentifier: "p", storefronts: ["USA"], succeededCount: 1, failedCount: 0,
            completedAt: .wallClock())
        let summary = NotificationClaims(
            ended, of: ServerApp(bundleId: "a", environment: .production, appAppleId: 1), bundleVersion: nil,
            transaction: nil, renewal: nil)
        #expect(try members("NotificationClaims") == written(claims).union(written(summary)))
        let properties = document.schema("NotificationClaims")?["properties"]
        #expect(try Set((properties?["summary"]?["properties"]?.objectValue ?? [:]).keys) == written(summary.summary))
        let data = document.schema("NotificationClaims")?["properties"]?["data"]?["properties"]?.objectValue ?? [:]
        #expect(try Set(data.keys) == written(claims.data))
    }
}
