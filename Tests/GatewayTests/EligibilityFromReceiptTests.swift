import EventLoop
import NIOHTTP1
import Signing
import StoreModels
import StorebusTesting
import Testing

/// `POST /v1/eligibility`: a receipt this store has signed is believed, and no other (M120).
@Suite struct EligibilityFromReceiptTests {
    private static let path = "/v1/eligibility"
    private static let trial = with(
        ReceiptItem(
            transactionIdentifier: "1000000001", originalTransactionIdentifier: "1000000001",
            productIdentifier: Sample.pro.productIdentifier, type: .autoRenewable, quantity: 1,
            purchaseDate: Timestamp(milliseconds: 1_700_000_000_000),
            originalPurchaseDate: Timestamp(milliseconds: 1_700_000_000_000),
            expiresDate: Timestamp(milliseconds: 1_700_604_800_000))
    ) {
        $0.isTrialPeriod = true
    }

    /// A receipt of Alice's with one trial in it.
    private func receipt(
        _ store: GatewayHarness, bundleId: String = Sample.bundleId, environment: ReceiptEnvironment = .sandbox
    ) async throws -> String {
        try await store.apple.receiptData(
            of: CustomerReference(bundleId: bundleId, customerIdentifier: FakePaymentQueue.customer), Self.trial,
            environment: environment)
    }

    private func ask(
        _ store: GatewayHarness, _ receiptData: String, token: String, products: [String]? = nil
    ) async throws -> Answer {
        var body: [String: JSONValue] = ["receiptData": .string(receiptData)]
        body["productIdentifiers"] = products.map { .array($0.map { .string($0) }) }
        return try await store.send(
            .POST, Self.path, token: token, bytes: try StoreJSON.encode(JSONValue.object(body)))
    }

    /// On a busy machine Eligibility may not answer in time, and then nothing is known: asked again, it does.
    private func askUntilHeard(
        _ store: GatewayHarness, _ receiptData: String, token: String, products: [String]? = nil
    ) async throws -> Answer {
        var answer = try await ask(store, receiptData, token: token, products: products)
        try await eventually("Eligibility answers in time", within: .seconds(60)) {
            guard answer.json["degraded"] != .array([]) else { return true }
            answer = try await ask(store, receiptData, token: token, products: products)
            return false
        }
        return answer
    }

    @Test func `Eligibility is asked about what the receipt says`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await askUntilHeard(
                store, try await receipt(store), token: try await store.session(),
                products: [Sample.pro.productIdentifier])
            #expect(answer.status == 200)
            #expect(answer.json["eligibility"]?.arrayValue?.first?["productIdentifier"] == "com.example.pro")
            #expect(answer.json["degraded"] == .array([]))
            let request = try #require(store.eligibilityRequests.all.last)
            #expect(request.bundleId == Sample.bundleId)
            #expect(request.customerIdentifier == FakePaymentQueue.customer)
            #expect(request.storefront == "USA")
            #expect(request.productIdentifiers == [Sample.pro.productIdentifier])
            let history = try #require(request.receipt)
            #expect(history.items.map(\.transactionIdentifier) == ["1000000001"])
            #expect(history.items.first?.isTrialPeriod == true)
            #expect(history.now == store.payments.contents.withLock { $0.subscribing.clock.now })
        }
    }

    @Test func `an app's server may ask, for the storefront its catalogue names`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock {
                $0.apps[Sample.bundleId]?.testerDefaults = TesterSettings(storefront: "FRA")
            }
            let answer = try await askUntilHeard(
                store, try await receipt(store), token: try await store.apiKey())
            #expect(answer.status == 200)
            let request = try #require(store.eligibilityRequests.all.last)
            #expect(request.storefront == "FRA")
            #expect(request.customerIdentifier == "")
            #expect(request.productIdentifiers == nil)
            #expect(request.receipt != nil)
        }
    }

    @Test func `a receipt that is not believed is refused and never eligible (M120)`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let good = try await receipt(store)
            // Near the end are the signature's bytes; the last characters may be padding, and stay.
            let forged =
                good.dropLast(16) + (good.dropLast(4).hasSuffix("AAAAAAAAAAAA") ? "BBBBBBBBBBBB" : "AAAAAAAAAAAA")
                + good.suffix(4)
            for (data, reason) in [
                ("", "malformed"), ("no base64!", "malformed"), ("TUlJ", "malformed"), (String(forged), "signature"),
                (try await receipt(store, bundleId: "com.example.other"), "bundleId"),
                (try await receipt(store, environment: .production), "environment"),
            ] {
                let answer = try await ask(store, data, token: token)
                #expect(answer.status == 422, "\(reason)")
                #expect(answer.code == "receiptInvalid")
                #expect(answer.json["reason"]?.stringValue == reason)
                #expect(answer.json["eligibility"] == nil)
            }
            #expect(store.eligibilityRequests.all.isEmpty, "nobody was asked")
        }
    }

    @Test
    func `without PaymentQueue's clock, Eligibility or AppStoreServer nothing is known, and the one away is named`()
        async throws
    {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let data = try await receipt(store)
            store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            let clockless = try await ask(store, data, token: token)
            store.payments.contents.withLock { $0.failure = nil }
            store.eligibility.goAway()
            let unjudged = try await ask(store, data, token: token)
            store.appStore.service.goAway()
            let unread = try await ask(store, data, token: token)
            store.appStore.service.comeBack()
            let answers = [(clockless, "payments"), (unjudged, "eligibility"), (unread, "receipts")]
            for (answer, away) in answers {
                #expect(answer.status == 200)
                #expect(answer.json["degraded"] == .array([.string(away)]))
                let pro = answer.json["eligibility"]?.arrayValue?.first
                #expect(pro?["productIdentifier"] == "com.example.pro")
                #expect(pro?["eligibility"] == "unknown")
                #expect(pro?["rule"] == "historyUnavailable")
            }
        }
    }

    @Test func `who may ask is an app's customer or its server`() async throws {
        try await GatewayHarness.run { store in
            let data = try await receipt(store)
            #expect(try await ask(store, data, token: "nonsense").status == 401)
            #expect(try await ask(store, data, token: Sample.adminKey).status == 403)
            let shop = try await store.session(client: "store")
            #expect(try await ask(store, data, token: shop).status == 403)
        }
    }

    @Test func `a receipt may be longer than other bodies, and a wrong body is 400`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            let long = try await ask(store, String(repeating: "A", count: 100_000), token: token)
            #expect(long.code == "receiptInvalid")
            let tooLong = try await ask(store, String(repeating: "A", count: 1 << 20), token: token)
            #expect(tooLong.status == 413)
            for body in ["{}", #"{"receiptData":1}"#, #"{"receiptData":"","storefront":"USA"}"#] {
                let answer = try await store.send(.POST, Self.path, token: token, body: body)
                #expect(answer.status == 400, "\(body)")
            }
            let many = Array(repeating: "p", count: 501)
            #expect(try await ask(store, "TUlJ", token: token, products: many).status == 400)
        }
    }

    @Test func `a receipt of 1 500 renewals is answered`() async throws {
        try await GatewayHarness.run { store in
            store.payments.renewPro(1_500)
            let token = try await store.session()
            let made = try await store.send(.GET, "/v1/receipt", token: token)
            let data = try #require(made.json["receiptData"]?.stringValue)
            let answer = try await askUntilHeard(store, data, token: token)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json["eligibility"]?.arrayValue?.first?["productIdentifier"] == "com.example.pro")
            // The trial, and the latest renewal.
            let history = try #require(store.eligibilityRequests.all.last?.receipt)
            #expect(history.items.map(\.transactionIdentifier) == ["2000000000000001", "2000000000001500"])
            #expect(history.items.first?.isTrialPeriod == true)
        }
    }
}
