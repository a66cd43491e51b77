import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

/// Goal: operators only send any notification of Apple's, of what a customer has bought.
@Suite struct NotificationTriggerTests {
    private static let path = "/admin/v1/apps/com.example.app/notifications/trigger"
    private static let charge = "2000000000000002"
    private static let renewal = "2000000000000003"

    /// Sends a body, to which `onlySend` is added.
    private func trigger(_ store: GatewayHarness, _ body: String) async throws -> Answer {
        try await store.send(
            .POST, Self.path, token: Sample.adminKey, body: body.dropLast() + #","onlySend":true}"#)
    }

    /// A store in which Alice has bought the samples; her subscription is theirs.
    private func withSamples(_ body: @Sendable (GatewayHarness) async throws -> Void) async throws {
        try await GatewayHarness.run { store in
            _ = try await store.session()
            store.payments.sellSamples()
            store.payments.contents.withLock { contents in
                contents.serverReading.subscriptions[0].subscription.originalTransactionIdentifier = "2000000000000001"
            }
            try await body(store)
        }
    }

    private func last(_ store: GatewayHarness) throws -> TriggerNotificationRequest {
        try #require(store.appStore.contents.withLock { $0.triggers.last })
    }

    private func refuses(_ answer: Answer, _ status: Int, _ place: String) {
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.code == "requestInvalid")
        #expect(answer.json["path"]?.stringValue == place, "\(answer.text)")
    }

    // MARK: Facts

    @Test func `a subscription's notification is about the account's latest transaction of one`() async throws {
        try await withSamples { store in
            let answer = try await trigger(
                store,
                #"{"notificationType":"EXPIRED","subtype":"VOLUNTARY","account":"alice","set":{"version":"3.0"}}"#)
            #expect(answer.status == 201)
            #expect(answer.json["account"] == "alice")
            #expect(answer.json["signedPayload"] == "e30.e30.e30")
            let request = try last(store)
            #expect(request.customerIdentifier == FakePaymentQueue.customer)
            #expect(request.account == "alice")
            #expect(request.draft.bundleId == Sample.bundleId)
            #expect(request.draft.notificationType == .expired)
            #expect(request.draft.subtype == .voluntary)
            #expect(request.draft.appTransactionIdentifier == FakePaymentQueue.appTransaction)
            #expect(request.draft.transaction?.item.transactionIdentifier == Self.renewal)
            #expect(request.draft.subscription?.subscription.originalTransactionIdentifier == "2000000000000001")
            #expect(request.draft.set == ["version": "3.0"])
            #expect(request.draft.break == nil)
        }
    }

    @Test func `a one-time purchase is about the latest outside subscriptions, a refund about any`() async throws {
        try await withSamples { store in
            #expect(
                try await trigger(store, #"{"notificationType":"ONE_TIME_CHARGE","account":"alice"}"#).status == 201)
            let charge = try last(store).draft
            #expect(charge.transaction?.item.transactionIdentifier == Self.charge)
            #expect(charge.subscription == nil)
            #expect(try await trigger(store, #"{"notificationType":"REFUND","account":"alice"}"#).status == 201)
            #expect(try last(store).draft.transaction?.item.transactionIdentifier == Self.renewal)
            #expect(try last(store).draft.subscription != nil)
        }
    }

    @Test func `of names the transaction, with or without its account`() async throws {
        try await withSamples { store in
            for account in ["", #","account":"alice""#] {
                let answer = try await trigger(
                    store, #"{"notificationType":"REFUND","of":"\#(Self.charge)"\#(account)}"#)
                #expect(answer.status == 201)
                #expect(try last(store).account == "alice")
                #expect(try last(store).draft.transaction?.item.transactionIdentifier == Self.charge)
            }
            _ = try await store.session(account: "bob", device: "bob-1")
            refuses(
                try await trigger(store, #"{"notificationType":"REFUND","of":"\#(Self.charge)","account":"bob"}"#), 400,
                "$.of")
            refuses(try await trigger(store, #"{"notificationType":"DID_RENEW","of":"\#(Self.charge)"}"#), 400, "$.of")
            refuses(
                try await trigger(store, #"{"notificationType":"ONE_TIME_CHARGE","of":"\#(Self.renewal)"}"#), 400,
                "$.of")
            refuses(
                try await trigger(
                    store, #"{"notificationType":"REFUND","of":"\#(FakePaymentQueue.appTransaction)"}"#), 400, "$.of")
            #expect(try await trigger(store, #"{"notificationType":"REFUND","of":"404"}"#).status == 404)
        }
    }

    @Test func `an account without what it is about is not found, and the remedy is named`() async throws {
        try await GatewayHarness.run { store in
            let stranger = try await trigger(store, #"{"notificationType":"REFUND","account":"alice"}"#)
            #expect(stranger.status == 404)
            #expect(stranger.json["detail"]?.stringValue?.contains("'alice'") == true)
            _ = try await store.session()
            let poor = try await trigger(store, #"{"notificationType":"REFUND","account":"alice"}"#)
            #expect(poor.status == 404)
            #expect(poor.json["detail"]?.stringValue?.contains("/admin/v1/apps/com.example.app/purchases") == true)
            store.payments.sellConsumables(1)
            #expect(try await trigger(store, #"{"notificationType":"REFUND","account":"alice"}"#).status == 201)
            #expect(try await trigger(store, #"{"notificationType":"DID_RENEW","account":"alice"}"#).status == 404)
        }
    }

    // MARK: Without a customer

    @Test func `notifications about no customer need none, and have Apple's members`() async throws {
        try await GatewayHarness.run { store in
            #expect(try await trigger(store, #"{"notificationType":"TEST"}"#).status == 201)
            #expect(try last(store).draft.set == nil)
            #expect(try last(store).customerIdentifier == nil)
            #expect(
                try await trigger(store, #"{"notificationType":"EXTERNAL_PURCHASE_TOKEN","subtype":"CREATED"}"#).status
                    == 201)
            let token = try #require(try last(store).draft.set)
            #expect(token["data"] == .null)
            #expect(token["externalPurchaseToken"]?["bundleId"] == "com.example.app")
            #expect(token["externalPurchaseToken"]?["externalPurchaseId"]?.stringValue?.hasPrefix("SANDBOX") == true)
            #expect(token["externalPurchaseToken"]?["tokenCreationDate"]?.intValue != nil)
            let changed = try await trigger(
                store, #"{"notificationType":"RESCIND_CONSENT","set":{"appData":{"bundleId":"x"}}}"#)
            #expect(changed.status == 201)
            #expect(try last(store).draft.set == ["data": .null, "appData": .object(["bundleId": "x"])])
            #expect(
                try await trigger(store, #"{"notificationType":"RENEWAL_EXTENSION","subtype":"SUMMARY"}"#).status == 201
            )
            #expect(try last(store).draft.set?["summary"]?["environment"] == "Sandbox")
        }
    }

    @Test func `consent of an account is rescinded for its download of the app`() async throws {
        try await withSamples { store in
            #expect(
                try await trigger(store, #"{"notificationType":"RESCIND_CONSENT","account":"alice"}"#).status == 201)
            let data = try #require(try last(store).draft.set?["appData"])
            let signed = try ParsedJWS(data["signedAppTransactionInfo"]?.stringValue)
            #expect(try signed.isSigned(by: try await store.apple.appStore()))
            #expect(signed.payload["appTransactionId"]?.stringValue == FakePaymentQueue.appTransaction)
            #expect(try last(store).account == "alice")
            #expect(try last(store).draft.transaction == nil)
        }
    }

    // MARK: Refusals

    @Test(arguments: ["PRICE_CHANGE", "METADATA_UPDATE", "MIGRATION"])
    func `what belongs to Advanced Commerce is 422`(type: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await trigger(store, #"{"notificationType":"\#(type)","account":"alice"}"#)
            refuses(answer, 422, "$.notificationType")
            #expect(answer.json["detail"]?.stringValue?.contains("Advanced Commerce") == true)
        }
    }

    @Test(arguments: [
        (#"{"notificationType":"RENEWED","account":"alice"}"#, "$.notificationType"),
        (#"{"account":"alice"}"#, "$.notificationType"),
        (#"{"notificationType":"EXPIRED","subtype":"NONE","account":"alice"}"#, "$.subtype"),
        (#"{"notificationType":"EXPIRED","subtype":"UPGRADE","account":"alice"}"#, "$.subtype"),
        (#"{"notificationType":"SUBSCRIBED","account":"alice"}"#, "$.subtype"),
        (#"{"notificationType":"TEST","subtype":"SUMMARY"}"#, "$.subtype"),
        (#"{"notificationType":"REFUND"}"#, "$.account"), (#"{"notificationType":"REFUND","account":""}"#, "$.account"),
        (#"{"notificationType":"TEST","of":"1"}"#, "$.of"), (#"{"notificationType":"REFUND","of":""}"#, "$.of"),
        (#"{"notificationType":"TEST","break":"all"}"#, "$.break"), (#"{"notificationType":"TEST","now":1}"#, "$.now"),
        (#"{"notificationType":"REFUND","account":"alice","productIdentifier":"x"}"#, "$.productIdentifier"),
    ])
    func `what cannot be made is refused, and says where`(body: String, place: String) async throws {
        try await GatewayHarness.run { store in
            refuses(try await trigger(store, body), 400, place)
            #expect(store.appStore.contents.withLock { $0.triggers.isEmpty })
        }
    }

    @Test(arguments: [#""set":{"version":"3.0"}"#, #""break":"root""#])
    func `an event's own notification is sent as it is`(member: String) async throws {
        try await withSamples { store in
            let answer = try await store.send(
                .POST, Self.path, token: Sample.adminKey,
                body: #"{"notificationType":"REFUND","account":"alice",\#(member)}"#)
            refuses(answer, 400, member.hasPrefix(#""set"#) ? "$.set" : "$.break")
            #expect(answer.json["detail"]?.stringValue?.contains("add onlySend") == true)
            #expect(store.appStore.contents.withLock { $0.triggers.isEmpty })
        }
    }

    @Test func `a missing subtype is answered with those that go with the type`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await trigger(store, #"{"notificationType":"SUBSCRIBED","account":"alice"}"#)
            #expect(answer.json["detail"]?.stringValue?.contains("INITIAL_BUY, RESUBSCRIBE") == true, "\(answer.text)")
            let optional = try await trigger(
                store, #"{"notificationType":"DID_RENEW","subtype":"UPGRADE","account":"alice"}"#)
            #expect(optional.json["detail"]?.stringValue?.contains("none, BILLING_RECOVERY") == true)
        }
    }

    @Test func `a fault that cannot be done is refused before the notification is made`() async throws {
        try await withSamples { store in
            #expect(
                try await trigger(store, #"{"notificationType":"REFUND","account":"alice","break":"root"}"#).status
                    == 201)
            #expect(try last(store).draft.break == .root)
            let settings = "/admin/v1/apps/com.example.app/server-api"
            _ = try await store.send(
                .PUT, settings, token: Sample.adminKey, body: #"{"environment":"Xcode"}"#)
            refuses(
                try await trigger(store, #"{"notificationType":"REFUND","account":"alice","break":"root"}"#), 400,
                "$.break")
            #expect(store.appStore.contents.withLock { $0.triggers.count } == 1)
        }
    }
}
