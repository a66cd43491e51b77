import BusService
import EventLoop
import Foundation
import NIOHTTP1
import Signing
import StoreModels
import Testing

/// Goal: AppStoreServer signs notifications in Apple's words.
@Suite struct NotificationSigningTests {
    private static let uuid = FakeAppStoreServer.uuid(1)
    private static let at = Timestamp(milliseconds: 1_799_999_999_123)

    private func sign(_ store: GatewayHarness, _ drafts: [NotificationDraft]) async throws -> [ParsedJWS] {
        try await store.apple.signed(drafts).map { try ParsedJWS($0) }
    }

    private func refusal(_ store: GatewayHarness, _ drafts: [NotificationDraft]) async throws -> StoreError? {
        do {
            _ = try await sign(store, drafts)
            return nil
        } catch let error as StoreError {
            return error
        }
    }

    private func draft(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) -> NotificationDraft {
        NotificationDraft(
            bundleId: Sample.bundleId, notificationUUID: Self.uuid, notificationType: type, subtype: subtype,
            signedDate: Self.at)
    }

    private func renewal(_ store: GatewayHarness) -> NotificationDraft {
        store.payments.sellSamples()
        return with(draft(.didRenew, .billingRecovery)) { draft in
            draft.appTransactionIdentifier = FakePaymentQueue.appTransaction
            store.payments.contents.withLock {
                draft.transaction = $0.serverReading.transactions[2]
                draft.subscription = $0.serverReading.subscriptions[0]
            }
        }
    }

    private func put(_ store: GatewayHarness, _ body: String, app: String = Sample.bundleId) async throws {
        let answer = try await store.send(
            .PUT, "/admin/v1/apps/\(app)/server-api", token: Sample.adminKey, body: body)
        #expect(answer.status == 200)
    }

    // MARK: Payloads

    @Test func `a subscription's notification has its transaction and renewal information, each signed`() async throws {
        try await GatewayHarness.run { store in
            let authority = try await store.apple.appStore()
            let signed = try #require(try await sign(store, [renewal(store)]).first)
            #expect(try signed.isSigned(by: authority))
            let data = try #require(signed.payload["data"])
            let transaction = try ParsedJWS(data["signedTransactionInfo"]?.stringValue)
            let renewal = try ParsedJWS(data["signedRenewalInfo"]?.stringValue)
            for inner in [transaction, renewal] {
                #expect(try inner.isSigned(by: authority))
                #expect(inner.payload["signedDate"] == .integer(Self.at.milliseconds))
                #expect(inner.payload["appTransactionId"]?.stringValue == FakePaymentQueue.appTransaction)
            }
            #expect(transaction.payload["transactionId"] == "2000000000000003")
            #expect(transaction.payload["storefrontId"] == "143441")
            #expect(renewal.payload["autoRenewProductId"] == "com.example.pro")
            var members = try #require(data.objectValue)
            members["signedTransactionInfo"] = nil
            members["signedRenewalInfo"] = nil
            #expect(
                members == [
                    "bundleId": "com.example.app", "bundleVersion": "1.0", "environment": "Sandbox",
                    "status": .integer(1),
                ])
            var payload = try #require(signed.payload.objectValue)
            payload["data"] = nil
            #expect(
                payload == [
                    "notificationType": "DID_RENEW", "subtype": "BILLING_RECOVERY",
                    "notificationUUID": .string(Self.uuid), "version": "2.0",
                    "signedDate": .integer(Self.at.milliseconds),
                ])
        }
    }

    @Test func `a one-time purchase has no renewal information, and a test neither`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let charge = with(draft(.oneTimeCharge)) { draft in
                draft.appTransactionIdentifier = FakePaymentQueue.appTransaction
                draft.transaction = store.payments.contents.withLock { $0.serverReading.transactions[1] }
            }
            let signed = try await sign(store, [charge, draft(.test)])
            #expect(signed.count == 2)
            #expect(
                Set((signed[0].payload["data"]?.objectValue ?? [:]).keys)
                    == ["bundleId", "bundleVersion", "environment", "signedTransactionInfo"])
            #expect(
                signed[1].payload["data"]
                    == .object(["bundleId": "com.example.app", "bundleVersion": "1.0", "environment": "Sandbox"]))
            #expect(signed[1].payload["subtype"] == nil)
        }
    }

    @Test func `apps of one request are signed each in its environment`() async throws {
        try await GatewayHarness.run { store in
            let others = [
                "com.example.live": #"{"environment":"Production","appAppleId":5}"#,
                "com.example.xcode": #"{"environment":"Xcode"}"#,
            ]
            for (app, body) in others {
                store.catalog.contents.withLock {
                    $0.apps[app] = App(bundleId: app, settings: .init(name: "2"), catalogVersion: 1)
                }
                try await put(store, body, app: app)
            }
            let drafts = ["com.example.live", Sample.bundleId, "com.example.xcode", "com.example.live"].map { app in
                with(draft(.test)) { $0.bundleId = app }
            }
            let signed = try await sign(store, drafts)
            #expect(
                signed.map { $0.payload["data"]?["environment"] } == ["Production", "Sandbox", "Xcode", "Production"])
            #expect(signed.map { $0.payload["data"]?["appAppleId"] } == [.integer(5), nil, nil, .integer(5)])
            #expect(signed[2].header["kid"] == "Apple_Xcode_Key")
            let authority = try await store.apple.appStore()
            for index in [0, 1, 3] { #expect(try signed[index].isSigned(by: authority)) }
        }
    }

    // MARK: Triggers

    @Test func `members are set and removed in the whole payload`() async throws {
        try await GatewayHarness.run { store in
            let changed = with(draft(.test)) {
                $0.set = ["version": "3.0", "data": .null, "appData": .object(["bundleId": "x"])]
            }
            let signed = try #require(try await sign(store, [changed]).first)
            #expect(signed.payload["version"] == "3.0")
            #expect(signed.payload["data"] == nil)
            #expect(signed.payload["appData"]?["bundleId"] == "x")
            #expect(try signed.isSigned(by: try await store.apple.appStore()))
        }
    }

    @Test(arguments: BrokenSignature.allCases)
    func `a notification broken on purpose has good payloads inside`(_ broken: BrokenSignature) async throws {
        try await GatewayHarness.run { store in
            let authority = try await store.apple.appStore()
            let draft = with(renewal(store)) { $0.break = broken }
            let text = try #require(try await store.apple.signed([draft]).first)
            if broken == .signature || broken == .tampered {
                #expect(try !ParsedJWS(text).isSigned(by: authority))
            }
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            #expect(parts.count == 3)
            let payload = try StrictJSON.parse(try #require(Base64URL.decode(parts[1])))
            let inner = try ParsedJWS(payload["data"]?["signedTransactionInfo"]?.stringValue)
            #expect(try inner.isSigned(by: authority))
            if broken == .bundle { #expect(payload["data"]?["bundleId"] != "com.example.app") }
            if broken == .environment { #expect(payload["data"]?["environment"] != "Sandbox") }
        }
    }

    @Test func `what cannot be signed is refused, and names the member`() async throws {
        try await GatewayHarness.run { store in
            try await put(store, #"{"environment":"Xcode"}"#)
            let impossible = with(draft(.test)) { $0.break = .root }
            let error = try #require(try await refusal(store, [draft(.test), impossible]))
            #expect(error.code == .requestInvalid)
            #expect(error.details["path"] == "$.break")
            let anonymous = with(renewal(store)) { $0.appTransactionIdentifier = nil }
            let missing = try #require(try await refusal(store, [anonymous]))
            #expect(missing.details["path"] == "$.appTransactionIdentifier")
        }
    }

    @Test func `without Catalog notifications are signed, and name no version`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.service.goAway()
            let signed = try #require(try await sign(store, [draft(.test)]).first)
            #expect(signed.payload["data"] == .object(["bundleId": "com.example.app", "environment": "Sandbox"]))
            store.catalog.service.comeBack()
        }
    }
}
