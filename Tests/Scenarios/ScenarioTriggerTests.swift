import Cryptography
import Foundation
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Goal (T1): a trigger causes its event. The operator's answer, the App Store Server API, the receipt, the device and
/// the notification tell one story, before it and after it, and no clock has moved.
/// Method: one store with a frozen clock; each kind is triggered for an account that is made for it.
@Suite(.process) struct ScenarioTriggerTests {
    /// A kind, and what is true after it.
    struct Kind: Sendable, CustomTestStringConvertible {
        var type: NotificationType
        var subtype: NotificationSubtype?
        /// Apple's status of the subscription; nil for a purchase outside subscriptions.
        var status: Int?
        /// What the event found: the state of the subscription, or of the purchase.
        var before: Before
        var isRevoked = false
        var expirationIntent: Int?

        enum Before: Sendable { case nothing, bought, subscription(SubscriptionState), revoked }

        init(
            _ type: NotificationType, _ subtype: NotificationSubtype? = nil, _ status: Int?, _ before: Before,
            isRevoked: Bool = false, intent: Int? = nil
        ) {
            (self.type, self.subtype, self.status, self.before) = (type, subtype, status, before)
            (self.isRevoked, self.expirationIntent) = (isRevoked, intent)
        }

        var testDescription: String { [type.rawValue, subtype?.rawValue].compactMap(\.self).joined(separator: ".") }
    }

    static let kinds: [Kind] = [
        Kind(.subscribed, .initialBuy, 1, .nothing), Kind(.subscribed, .resubscribe, 1, .subscription(.expired)),
        Kind(.didRenew, nil, 1, .bought), Kind(.didRenew, .billingRecovery, 1, .subscription(.inBillingRetryPeriod)),
        Kind(.didChangeRenewalPref, nil, 1, .subscription(.subscribed)),
        Kind(.didChangeRenewalPref, .upgrade, 1, .subscription(.subscribed)),
        Kind(.didChangeRenewalPref, .downgrade, 1, .subscription(.subscribed)),
        Kind(.didChangeRenewalStatus, .autoRenewDisabled, 1, .subscription(.subscribed)),
        Kind(.didChangeRenewalStatus, .autoRenewEnabled, 1, .subscription(.subscribed)),
        Kind(.offerRedeemed, nil, 1, .subscription(.subscribed)),
        Kind(.offerRedeemed, .upgrade, 1, .subscription(.subscribed)),
        Kind(.offerRedeemed, .downgrade, 1, .subscription(.subscribed)),
        Kind(.expired, .voluntary, 2, .bought, intent: 1), Kind(.expired, .billingRetry, 2, .bought, intent: 2),
        Kind(.expired, .priceIncrease, 2, .bought, intent: 3),
        Kind(.expired, .productNotForSale, 2, .subscription(.subscribed), intent: 4),
        Kind(.expired, nil, 2, .subscription(.subscribed), intent: 5), Kind(.didFailToRenew, nil, 3, .bought),
        Kind(.didFailToRenew, .gracePeriod, 4, .bought), Kind(.gracePeriodExpired, nil, 3, .bought),
        Kind(.priceIncrease, .pending, 1, .bought), Kind(.priceIncrease, .accepted, 1, .bought),
        Kind(.refund, nil, nil, .bought, isRevoked: true), Kind(.refundDeclined, nil, nil, .bought),
        Kind(.refundReversed, nil, nil, .revoked), Kind(.consumptionRequest, nil, nil, .bought),
        Kind(.revoke, nil, nil, .bought, isRevoked: true),
        Kind(.renewalExtended, nil, 1, .subscription(.subscribed)),
        Kind(.renewalExtension, .summary, 1, .subscription(.subscribed)),
        Kind(.renewalExtension, .failure, 3, .subscription(.inBillingRetryPeriod)),
        Kind(.oneTimeCharge, nil, nil, .nothing),
    ]

    @Test(.inOneStore, .serialized, arguments: kinds)
    func `T1: API, receipt, device and notification agree, before the event and after it`(kind: Kind) async throws {
        let store = try #require(TriggeredStore.current)
        let clock = try await store.clock()
        let made = try await store.trigger(kind.type, kind.subtype)
        #expect(try await store.clock() == clock)
        let cause = try #require(made.cause)
        #expect(cause.isNewAccount)
        check(before: cause.before, of: kind)
        let notification = try #require(made.notification.signedPayload.flatMap(TriggeredStore.payload))
        #expect(notification["notificationType"]?.stringValue == kind.type.rawValue)
        #expect(notification["subtype"]?.stringValue == kind.subtype?.rawValue)
        #expect(try await store.receives(made.notification))
        let after = cause.after.transaction
        let identifier = try #require(after.transactionIdentifier)
        // The summary is about no customer.
        let signed = try notification["data"].map { data in
            try #require(data["signedTransactionInfo"]?.stringValue.flatMap(TriggeredStore.payload))
        }
        let api = try await store.transaction(identifier)
        if let signed { #expect(Self.comparable(signed) == Self.comparable(api)) }
        #expect(api["transactionId"]?.stringValue == identifier)
        #expect((api["revocationDate"] != nil) == kind.isRevoked)
        #expect((after.revocationDate != nil) == kind.isRevoked)
        try await checkSubscription(of: kind, cause, api, notification["data"])
        try await checkCustomer(of: kind, cause, api)
    }

    private func check(before: TriggerState?, of kind: Kind) {
        switch kind.before {
        case .nothing: #expect(before == nil)
        case .bought:
            #expect(before?.transaction.transactionState == .purchased)
            #expect(before?.transaction.revocationDate == nil)
        case .subscription(let state): #expect(before?.subscription?.state == state)
        case .revoked: #expect(before?.transaction.revocationDate != nil)
        }
    }

    /// What does not depend on the instant of signing.
    private static func comparable(_ payload: JSONValue) -> [String: JSONValue] {
        (payload.objectValue ?? [:]).filter { $0.key != "signedDate" }
    }

    private func checkSubscription(
        of kind: Kind, _ cause: TriggerCause, _ api: JSONValue, _ data: JSONValue?
    ) async throws {
        guard let status = kind.status else { return #expect(cause.after.subscription == nil) }
        let store = try #require(TriggeredStore.current)
        let (found, renewal) = try await store.subscription(try #require(api["originalTransactionId"]?.stringValue))
        #expect(found == status)
        #expect(cause.after.subscription?.state == Self.state(status))
        // In billing retry it is a billing error, 2.
        #expect(renewal["expirationIntent"]?.intValue == kind.expirationIntent ?? (status == 3 ? 2 : nil))
        guard let data else { return }
        #expect(data["status"]?.intValue == status)
        let told = try #require(data["signedRenewalInfo"]?.stringValue.flatMap(TriggeredStore.payload))
        for member in ["autoRenewStatus", "autoRenewProductId", "expirationIntent", "isInBillingRetryPeriod"] {
            #expect(told[member] == renewal[member], "\(member)")
        }
    }

    private static func state(_ status: Int) -> SubscriptionState {
        [.subscribed, .expired, .inBillingRetryPeriod, .inGracePeriod, .revoked][status - 1]
    }

    /// Compares the device's and the receipt's view.
    private func checkCustomer(of kind: Kind, _ cause: TriggerCause, _ api: JSONValue) async throws {
        let store = try #require(TriggeredStore.current)
        let device = try await store.stack.session(account: cause.account)
        let unfinished = try await device.unfinished()
        #expect(unfinished.contains { $0.transactionIdentifier == cause.after.transaction.transactionIdentifier })
        if let subscription = cause.after.subscription {
            let answer = try await store.stack.request(.GET, "/v1/subscriptions", token: device.token)
            let page = try answer.decoded(as: SubscriptionsPage.self)
            #expect(page.subscriptions.map(\.state) == [subscription.state])
            #expect(page.subscriptions.map(\.expiresDate) == [subscription.expiresDate])
        }
        let item = try #require(try await store.receiptItem(api["transactionId"]?.stringValue ?? "", of: device))
        #expect((item["cancellation_date_ms"] != nil) == kind.isRevoked)
        if let expires = api["expiresDate"]?.intValue {
            // Receipts have whole seconds.
            #expect(item["expires_date_ms"]?.stringValue == "\(expires / 1000 * 1000)")
        }
    }

    @Test(
        .inOneStore, .serialized,
        arguments: [
            (NotificationType.test, nil), (.rescindConsent, nil), (.externalPurchaseToken, .created),
            (.externalPurchaseToken, .unreported), (.externalPurchaseToken, .activeTokenReminder),
        ] as [(NotificationType, NotificationSubtype?)])
    func `T1: a kind that tells of nothing in the store is only sent`(
        type: NotificationType, subtype: NotificationSubtype?
    ) async throws {
        let store = try #require(TriggeredStore.current)
        let made = try await store.trigger(type, subtype)
        #expect(made.cause == nil)
        #expect(try await store.receives(made.notification))
    }
}

/// A store for several cases of a test, with an app that sells every kind of product.
private struct TriggeredStore: Sendable {
    @TaskLocal static var current: TriggeredStore?

    static let bundleId = "com.example.app"
    static let secret = "0123456789abcdef0123456789abcdef"

    let stack: StoreStack
    /// A key of the app's server.
    let key: NewKeyResponse
    /// The app's shared secret for receipts.
    let password: String

    static func run(_ body: @Sendable @concurrent () async throws -> Void) async throws {
        try await StoreStack.run { stack in
            let app = "/admin/v1/apps/\(bundleId)"
            let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
            var file =
                try StrictJSON.parse(
                    Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/docs/subscriptions.storekit")))
                ).objectValue ?? [:]
            file["products"] = try StrictJSON.parse(
                Array(try Data(contentsOf: URL(fileURLWithPath: "\(root)/Services/Catalog/Resources/Sample.storekit")))
            )["products"]
            let imported = try await stack.request(
                .PUT, "\(app)/catalog", token: stack.adminKey, body: try StoreJSON.encode(JSONValue.object(file)))
            try #require(imported.status == 200, "\(imported.text)")
            let frozen = try await stack.request(
                .PUT, "\(app)/clock", token: stack.adminKey, body: Array(#"{"frozen":true}"#.utf8))
            try #require(frozen.status == 200, "\(frozen.text)")
            let listened = try await stack.request(
                .PUT, "\(app)/notifications/endpoint", token: stack.adminKey, body: Array(#"{"url":"listen:"}"#.utf8))
            try #require(listened.status == 200, "\(listened.text)")
            func key(_ kind: String) async throws -> NewKeyResponse {
                let answer = try await stack.request(
                    .POST, "\(app)/keys", token: stack.adminKey, body: Array(#"{"kind":"\#(kind)"}"#.utf8))
                return try answer.decoded()
            }
            let store = TriggeredStore(
                stack: stack, key: try await key("inAppPurchase"), password: try await key("sharedSecret").secret)
            try await $current.withValue(store) { try await body() }
        }
    }

    // MARK: Operator

    func clock() async throws -> JSONValue? {
        let answer = try await stack.request(
            .GET, "/admin/v1/apps/\(Self.bundleId)/clock", token: stack.adminKey)
        return try answer.decoded(as: JSONValue.self)["now"]
    }

    func trigger(_ type: NotificationType, _ subtype: NotificationSubtype?) async throws -> TriggerResponse {
        let body = TriggerNotificationBody(notificationType: type, subtype: subtype)
        let answer = try await stack.request(
            .POST, "/admin/v1/apps/\(Self.bundleId)/notifications/trigger", token: stack.adminKey,
            body: try StoreJSON.encode(body), timeout: .seconds(60))
        guard answer.status == 201 else { throw StackError("trigger: \(answer.status) \(answer.text)") }
        return try answer.decoded()
    }

    /// Takes what is due at the app's server until a notification comes, with the same bytes.
    func receives(_ notification: ServerNotification) async throws -> Bool {
        let path = "/admin/v1/apps/\(Self.bundleId)/notifications"
        var isThere = false
        try await eventually("\(notification.notificationType) arrives", within: .seconds(30)) {
            let answer = try await stack.request(
                .POST, "\(path)/lease", token: stack.adminKey, body: Array(#"{"max":32,"waitMs":500}"#.utf8))
            for attempt in try answer.decoded(as: LeaseNotificationsReply.self).attempts {
                _ = try await stack.request(
                    .POST, "\(path)/attempts/\(attempt.attemptIdentifier)", token: stack.adminKey,
                    body: Array(#"{"sendAttemptResult":"SUCCESS","httpStatus":200}"#.utf8))
                guard attempt.notificationUUID == notification.notificationUUID else { continue }
                isThere = attempt.signedPayload == notification.signedPayload
            }
            return isThere
        }
        return isThere
    }

    // MARK: The app's server

    private func token() throws -> String {
        let now = Timestamp.wallClock().milliseconds / 1000
        let header: [String: JSONValue] = ["alg": "ES256", "kid": .string(key.keyIdentifier), "typ": "JWT"]
        let claims: [String: JSONValue] = [
            "iss": key.issuerId.map(JSONValue.string) ?? .null, "iat": .integer(now), "exp": .integer(now + 1200),
            "aud": "appstoreconnect-v1", "bid": .string(Self.bundleId),
        ]
        let input = try [header, claims].map { Self.encoded(Data(try StoreJSON.encode(JSONValue.object($0)))) }.joined(
            separator: ".")
        let signer = try P256.Signing.PrivateKey(pemRepresentation: key.secret)
        return input + "." + Self.encoded(Data(signer.signature(for: input.utf8).rawRepresentation))
    }

    private static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// The payload of a JWS.
    static func payload(_ text: String) -> JSONValue? {
        let parts = text.split(separator: ".")
        guard parts.count == 3 else { return nil }
        let standard = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
        let padded = standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: padded).flatMap { try? StrictJSON.parse(Array($0)) }
    }

    private func get(_ path: String) async throws -> JSONValue {
        let answer = try await stack.request(.GET, path, token: try token())
        guard answer.status == 200 else { throw StackError("\(path): \(answer.status) \(answer.text)") }
        return try answer.decoded()
    }

    func transaction(_ identifier: String) async throws -> JSONValue {
        let info = try await get("/inApps/v1/transactions/\(identifier)")["signedTransactionInfo"]?.stringValue
        return try #require(info.flatMap(Self.payload))
    }

    /// The status of a subscription, and its renewal information.
    func subscription(_ original: String) async throws -> (Int, JSONValue) {
        let groups = try await get("/inApps/v1/subscriptions/\(original)")["data"]?.arrayValue ?? []
        let last = groups.flatMap { $0["lastTransactions"]?.arrayValue ?? [] }.first {
            $0["originalTransactionId"]?.stringValue == original
        }
        return (
            try #require(last?["status"]?.intValue),
            try #require(last?["signedRenewalInfo"]?.stringValue.flatMap(Self.payload))
        )
    }

    /// The transaction in the customer's receipt, as verified.
    func receiptItem(_ identifier: String, of device: ScenarioCustomer) async throws -> JSONValue? {
        let receipt = try await stack.request(.GET, "/v1/receipt", token: device.token)
        let data = try receipt.decoded(as: JSONValue.self)["receiptData"] ?? .null
        let verified = try await stack.request(
            .POST, "/verifyReceipt",
            body: try StoreJSON.encode(JSONValue.object(["receipt-data": data, "password": .string(password)])))
        let answer = try verified.decoded(as: JSONValue.self)
        let items = (answer["latest_receipt_info"]?.arrayValue ?? []) + (answer["receipt"]?["in_app"]?.arrayValue ?? [])
        return items.first { $0["transaction_id"]?.stringValue == identifier }
    }
}

/// Runs all cases of a test in one store.
private struct InOneStore: TestTrait, TestScoping {
    func scopeProvider(for test: Test, testCase: Test.Case?) -> InOneStore? { testCase == nil ? self : nil }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        try await TriggeredStore.run(function)
    }
}

extension Trait where Self == InOneStore {
    fileprivate static var inOneStore: InOneStore { InOneStore() }
}
