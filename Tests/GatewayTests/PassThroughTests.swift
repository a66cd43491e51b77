import BusService
import EventLoop
import NIOHTTP1
import ServiceTesting
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge

/// Goal: a client sees of two services one: whole responses, and Apple's errors while AppStoreServer is away.
@Suite struct PassThroughTests {
    private static let transaction = "/inApps/v1/transactions/2000000000000001"

    private func verify(_ store: GatewayHarness, _ receipt: JSONValue = "TUlJ") async throws -> Answer {
        try await store.send(
            .POST, "/verifyReceipt", bytes: try StoreJSON.encode(JSONValue.object(["receipt-data": receipt])))
    }

    private func status(_ status: JSONValue) -> JSONValue { .object(["status": status]) }

    @Test func `a body with U+0000 passes as it came`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, "/verifyReceipt", bytes: Array("{\0}".utf8))
            #expect(answer.status == 200)
            #expect(answer.json == status(21002))
        }
    }

    // MARK: Responses in parts

    @Test(arguments: ["forgetful", "dead"])
    func `a response whose rest is gone is 21005, and one of Apple's paths says to repeat`(
        instance: String
    ) async throws {
        try await GatewayHarness.run { store in
            // An instance that answers with the beginning of a body, whose rest it has not, or has taken with it.
            store.appStore.service.goAway()
            let other = FakeService(.appStoreServer, on: store.bus)
            let reply: @Sendable (HTTPExchangeRequest) -> HTTPExchangeReply = { _ in
                HTTPExchangeReply(
                    status: 200, headers: [:], data: HTTPBytes(Array("{".utf8)),
                    rest: HTTPExchangeReply.Rest(instance: instance, identifier: "1", count: 1))
            }
            other.handle(AppStoreEndpoints.read, reply)
            other.handle(AppStoreEndpoints.change, reply)
            other.handle(AppStoreEndpoints.rest(of: "forgetful")) { _ in
                throw StoreError(.notFound, "there is no such rest")
            }
            await other.start()
            let verified = try await verify(store)
            #expect(verified.status == 200)
            #expect(verified.json == status(21005))
            let answer = try await store.send(.GET, Self.transaction)
            #expect(answer.status == 500)
            #expect(answer.json["errorCode"] == 5_000_001, "\(answer.text)")
            await other.stop()
        }
    }

    @Test func `a large response comes whole, in parts`() async throws {
        try await GatewayHarness.run { store in
            store.payments.renewPro(1_500)
            let receipt = try await store.send(.GET, "/v1/receipt", token: try await store.session())
            let before = store.subjects.all.count
            let answer = try await verify(store, try #require(receipt.json["receiptData"]))
            let parts = store.subjects.all.dropFirst(before).filter { $0.contains(".http.rest.") }
            #expect(parts.count > 2)
            #expect(answer.status == 200)
            #expect(answer.body.count > 1 << 20, "it is larger than a message may be")
            let verified = answer.json
            #expect(verified["status"] == 0)
            let numbers = (1...1_500).map { "\(2_000_000_000_000_000 + $0)" }
            let latest = verified["latest_receipt_info"]?.arrayValue ?? []
            #expect(latest.compactMap { $0["transaction_id"]?.stringValue } == Array(numbers.reversed()))
            let inApp = verified["receipt"]?["in_app"]?.arrayValue ?? []
            #expect(inApp.compactMap { $0["transaction_id"]?.stringValue }.sorted() == numbers)
        }
    }

    // MARK: Requests

    @Test func `a page of a history is one request to AppStoreServer, and one of it to PaymentQueue`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.serverToken().text()
            let before = store.subjects.all.count
            let answer = try await store.send(.GET, "/inApps/v2/history/2000000000000001", token: token)
            #expect(answer.status == 200, "\(answer.text)")
            let subjects = store.subjects.all.dropFirst(before)
            #expect(subjects.filter { $0.hasPrefix("sb.appstore.") } == [AppStoreEndpoints.read.subject])
            #expect(!subjects.contains { $0.hasPrefix("sb.payment.") })
            let reading = store.payments.contents.withLock { $0.serverReading }
            #expect(reading.pages.map(\.identifier) == ["2000000000000001"])
            #expect(reading.lookups == 0)
        }
    }

    @Test func `a request that changes nothing is a read, also by POST`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let (token, admin) = (try await store.serverToken().text(), Sample.adminKey)
            let issue = "/admin/v1/apps/\(Sample.bundleId)/signing/issue"
            let requests: [(path: String, token: String?, body: String, isRead: Bool)] = [
                ("/verifyReceipt", nil, #"{"receipt-data":"TUlJ"}"#, true), ("/ocsp", nil, "x", true),
                ("/inApps/v1/notifications/history", token, "{}", true),
                (issue, admin, #"{"kind":"transaction","of":"2000000000000001"}"#, true),
                ("/inApps/v1/notifications/test", token, "{}", false),
                ("/admin/v1/signing/rotate", admin, #"{"authority":"leaf"}"#, false),
            ]
            for (path, token, body, isRead) in requests {
                let before = store.subjects.all.count
                _ = try await store.send(.POST, path, token: token, body: body)
                let subjects = store.subjects.all.dropFirst(before).filter { $0.contains(".http.") }
                #expect(subjects == [(isRead ? AppStoreEndpoints.read : AppStoreEndpoints.change).subject], "\(path)")
            }
        }
    }

    @Test func `a body of 960 KiB that does not fit a message is 21002`() async throws {
        try await GatewayHarness.run { store in
            // A request that fits is 21005 now.
            store.appStore.service.goAway()
            let size = 960 << 10
            let bodies: [(byte: UInt8, status: JSONValue)] = [
                (0xFF, 21002), (UInt8(ascii: "\""), 21002), (1, 21002), (UInt8(ascii: " "), 21005),
            ]
            for (byte, expected) in bodies {
                let bytes = Array(repeating: byte, count: size)
                let answer = try await store.send(.POST, "/verifyReceipt", bytes: bytes)
                #expect(answer.status == 200, "\(byte)")
                #expect(answer.json == status(expected), "\(byte): \(answer.text)")
            }
            let longer = Array(repeating: UInt8(ascii: " "), count: size + 1)
            #expect(try await store.send(.POST, "/verifyReceipt", bytes: longer).status == 413)
        }
    }

    @Test func `while app-store-server is away /inApps is 5000001 and verifyReceipt 21005, and purchases go on`()
        async throws
    {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            let token = try await store.serverToken().text()
            let session = try await store.session()
            store.appStore.service.goAway()
            let away = try await store.send(.GET, Self.transaction, token: token)
            #expect(away.status == 500)
            #expect(away.json["errorCode"] == 5_000_001, "\(away.text)")
            #expect(away.headers.first(name: "Retry-After") == "1")
            #expect(try await verify(store).json == status(21005))
            let plain = try await pay(store, session, key: "plain")
            #expect(plain.status == 201, "\(plain.text)")
            let offer = """
                ,"paymentDiscount":{"identifier":"o1","keyIdentifier":"K","signature":"AA==","timestamp":1,
                "nonce":"7c9e6679-7425-40de-944b-e07fc1f90ae7"}
                """
            let discounted = try await pay(store, session, key: "offer", offer)
            #expect(discounted.status == 503, "\(discounted.text)")
            #expect(store.payments.contents.withLock { $0.transactions.map(\.id) } == ["t_plain"])
            #expect(try await store.send(.GET, "/v1/history", token: session).status == 200)
            store.appStore.service.comeBack()
            #expect(try await store.send(.GET, Self.transaction, token: token).status == 200)
            #expect(try await verify(store).json == status(21002))
        }
    }

    private func pay(
        _ store: GatewayHarness, _ session: String, key: String, _ members: String = ""
    ) async throws -> Answer {
        try await store.send(
            .POST, "/v1/payments", token: session, headers: [("Idempotency-Key", key)],
            body: #"{"productIdentifier":"com.example.pro"\#(members)}"#)
    }

    // MARK: Callers

    @Test func `a key's removal is effective at once: nothing is cached`() async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            _ = try await store.session()
            let (api, server) = (try await store.apiKey(), try await store.serverToken())
            let keys = [String(api.split(separator: "_")[1]), try #require(server.header["kid"]?.stringValue)]
            let requests = [("/v1/customers/alice/history", api), (Self.transaction, try server.text())]
            for (path, token) in requests + requests {
                #expect(try await store.send(.GET, path, token: token).status == 200, "\(path)")
            }
            let looked = store.subjects.all.count { $0 == AppKeyEndpoints.find.subject }
            #expect(looked == 2, "each use of the API key looks for it")
            // As another gateway's operator does: this gateway's own paths take no part.
            for key in keys {
                _ = try await store.gateway.parts.services.call(
                    AppKeyEndpoints.remove, AppKeyRequest(keyIdentifier: key, bundleId: Sample.bundleId),
                    context: CallContext(deadline: .now + .seconds(30)))
            }
            for (path, token) in requests {
                #expect(try await store.send(.GET, path, token: token).status == 401, "\(path)")
            }
        }
    }

    @Test func `the access log names the app of a server's token, and the reason of a refusal`() async throws {
        let logs = LogCapture()
        try await GatewayHarness.run(logs: logs) { store in
            store.payments.sellSamples()
            var token = try await store.serverToken()
            #expect(try await store.send(.GET, Self.transaction, token: try token.text()).status == 200)
            token.claims["aud"] = "appstoreconnect-v2"
            #expect(try await store.send(.GET, Self.transaction, token: try token.text()).status == 401)
        }
        let lines = logs.all.filter { $0.hasPrefix("info request ") && $0.contains(Self.transaction) }
        try #require(lines.count == 2)
        #expect(lines[0].contains(Sample.bundleId) && !lines[0].contains("reason"), "\(lines[0])")
        for part in ["401", "unauthenticated", "its aud is not appstoreconnect-v1"] {
            #expect(lines[1].contains(part), "\(part): \(lines[1])")
        }
        #expect(!lines[1].contains(Sample.bundleId), "a token that is refused is no app's")
    }
}

extension FakePaymentQueue {
    /// Gives Alice a subscription to Pro in place of all other purchases: a trial and its renewals, all over by now.
    func renewPro(_ count: Int) {
        let start = Timestamp(milliseconds: 1_790_000_000_000)
        let items = (0..<count).map { number in
            with(
                ReceiptItem(
                    transactionIdentifier: "\(2_000_000_000_000_001 + number)",
                    originalTransactionIdentifier: "2000000000000001",
                    productIdentifier: Sample.pro.productIdentifier, type: .autoRenewable, quantity: 1,
                    purchaseDate: start + .seconds(number * 3600), originalPurchaseDate: start,
                    expiresDate: start + .seconds((number + 1) * 3600), subscriptionGroupIdentifier: "g1")
            ) {
                $0.webOrderLineItemIdentifier = "\(1_000_000_000_000_001 + number)"
                $0.isTrialPeriod = number == 0
                $0.isInIntroOfferPeriod = false
            }
        }
        contents.withLock { $0.receiptItems = items }
    }
}
