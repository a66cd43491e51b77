import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// What is bought in the App Store, where no app runs.
@Suite struct OutsidePurchaseTests {
    private func buy(
        _ store: GatewayHarness, _ body: String, key: String? = "k1", app: String = Sample.bundleId
    ) async throws -> Answer {
        try await store.send(
            .POST, "/admin/v1/apps/\(app)/purchases", token: Sample.adminKey,
            headers: key.map { [("Idempotency-Key", $0)] } ?? [], body: body)
    }

    @Test func `the account is opened, and its transaction comes from the store's own device`() async throws {
        try await GatewayHarness.run { store in
            let requests = store.payments.recordAdditions { request in
                AddPaymentReply(
                    status: 201, transaction: Sample.purchased("t", payment: request.payment, device: "app-store"),
                    isReplayed: true)
            }
            let answer = try await buy(
                store,
                #"""
                {"account":"zoe","productIdentifier":"com.example.pro","quantity":2,
                 "offer":{"type":"winBack","identifier":"back"}}
                """#)
            #expect(answer.status == 201)
            #expect(answer.json["originDeviceId"] == "app-store")
            #expect(answer.headers.first(name: "Idempotent-Replayed") == "true")
            let opened = store.payments.contents.withLock { $0.openRequests }
            #expect(opened == [OpenAccountRequest(bundleId: Sample.bundleId, account: "zoe", deviceId: "app-store")])
            let request = try #require(requests.all.first)
            #expect(request.customerIdentifier == "c_zoe")
            #expect(request.deviceId == "app-store")
            #expect(
                request.payment
                    == Payment(requestIdentifier: "k1", productIdentifier: "com.example.pro", quantity: 2))
            #expect(request.redeemedOffer == RedeemedOffer(type: .winBack, identifier: "back"))
            #expect(request.discountCheck == nil)
        }
    }

    @Test func `a purchase at a date is dated back, and only it may have renewal turned off`() async throws {
        try await GatewayHarness.run { store in
            let requests = store.payments.recordAdditions()
            let who = #""account":"zoe","productIdentifier":"com.example.pro""#
            let date = "2027-01-15T00:00:00.000Z"
            let body = #"{\#(who),"billingPlanType":"MONTHLY","purchaseDate":"\#(date)","willAutoRenew":false}"#
            #expect(try await buy(store, body).status == 201)
            let request = try #require(requests.all.first)
            #expect(request.payment.billingPlanType == .monthly)
            let at = try #require(Timestamp(date))
            #expect(request.past == PastPurchase(due: .purchase, at: at, willAutoRenew: false))
            let refused = try await buy(store, "{\(who),\"willAutoRenew\":false}")
            #expect(refused.status == 400 && refused.text.contains("$.willAutoRenew"), "\(refused.text)")
        }
    }

    @Test func `a quantity that is null is one, as the document says`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await buy(
                store, #"{"account":"zoe","productIdentifier":"com.example.pro","quantity":null}"#)
            #expect(answer.status == 201)
            #expect(answer.json["payment"]?["quantity"]?.intValue == 1)
        }
    }

    @Test func `a purchase that waits is 202`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.adding = { _ in
                    AddPaymentReply(status: 202, transaction: Sample.purchasing("t"), isReplayed: false)
                }
            }
            let answer = try await buy(store, #"{"account":"zoe","productIdentifier":"com.example.pro"}"#)
            #expect(answer.status == 202)
            #expect(answer.json["transactionState"] == "purchasing")
            #expect(answer.headers.first(name: "Idempotent-Replayed") == nil)
        }
    }

    @Test func `the app's defaults are those of its testers`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock {
                $0.apps[Sample.bundleId]?.testerDefaults = TesterSettings(storefront: "FRA")
            }
            _ = try await buy(store, #"{"account":"zoe","productIdentifier":"com.example.pro"}"#)
            #expect(store.payments.contents.withLock { $0.openRequests.first?.defaults?.storefront } == "FRA")
        }
    }

    @Test(arguments: [
        (#"{"productIdentifier":"p"}"#, 400, nil), (#"{"account":"zoe"}"#, 400, nil),
        (#"{"account":"","productIdentifier":"p"}"#, 400, "$.account"),
        (#"{"account":"zoe","productIdentifier":"p","quantity":11}"#, 422, "$.quantity"),
        (#"{"account":"zoe","productIdentifier":"p","price":"0"}"#, 400, "$.price"),
        (#"{"account":"zoe","productIdentifier":"p","offer":{"type":"winBack"}}"#, 400, "$.offer.identifier"),
        (
            #"{"account":"zoe","productIdentifier":"p","offer":{"type":"code","identifier":""}}"#, 400,
            "$.offer.identifier"
        ),
        (
            #"{"account":"zoe","productIdentifier":"p","offer":{"type":"introductory","identifier":"i"}}"#, 400,
            "$.offer.identifier"
        ),
        (
            #"{"account":"zoe","productIdentifier":"p","offer":{"type":"subscription","identifier":""}}"#, 400,
            "$.offer.identifier"
        ),
    ])
    func `a wrong purchase opens no account`(body: String, status: Int, place: String?) async throws {
        try await GatewayHarness.run { store in
            let answer = try await buy(store, body)
            #expect(answer.status == status)
            if let place { #expect(answer.json["path"]?.stringValue == place) }
            #expect(store.payments.contents.withLock { $0.openRequests.isEmpty })
        }
    }

    @Test func `it needs an app`() async throws {
        try await GatewayHarness.run { store in
            let body = #"{"account":"zoe","productIdentifier":"p","offer":{"type":"introductory"}}"#
            let appless = try await buy(store, body, app: "com.example.none")
            #expect(appless.status == 404)
            #expect(store.payments.contents.withLock { $0.openRequests.isEmpty })
            let whole = try await buy(store, body)
            #expect(whole.status == 201)
        }
    }

    @Test func `without a key each request is a purchase of its own`() async throws {
        try await GatewayHarness.run { store in
            let body = #"{"account":"zoe","productIdentifier":"p"}"#
            let first = try await buy(store, body, key: nil)
            let second = try await buy(store, body, key: nil)
            #expect(first.status == 201 && second.status == 201)
            #expect(first.json["payment"]?["requestIdentifier"] != second.json["payment"]?["requestIdentifier"])
            let wrong = try await buy(store, body, key: "")
            #expect(wrong.code == "idempotencyKeyInvalid")
        }
    }

    @Test(arguments: ["k1", nil])
    func `an unanswered purchase is repeated with its key, and not without one`(key: String?) async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.adding = { _ in throw StoreError(.internal, "broken") } }
            let answer = try await buy(store, #"{"account":"zoe","productIdentifier":"p"}"#, key: key)
            #expect(answer.status == 504)
            #expect(answer.code == "outcomeUnknown")
            #expect(answer.json["retryable"] == .bool(key != nil))
        }
    }
}
