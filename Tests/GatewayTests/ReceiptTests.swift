import EventLoop
import NIOHTTP1
import Signing
import StoreModels
import Testing

@Suite struct ReceiptTests {
    private func receipt(_ store: GatewayHarness) async throws -> String {
        let answer = try await store.send(.GET, "/v1/receipt", token: try await store.session())
        #expect(answer.status == 200)
        return try #require(answer.json["receiptData"]?.stringValue)
    }

    private func document(_ store: GatewayHarness, _ receiptData: String) async throws -> ReceiptDocument {
        try ReceiptVerifier(root: try await store.apple.authority().root)
            .verify(receiptData: receiptData)
    }

    @Test func `a customer who bought nothing has a receipt without purchases (M139)`() async throws {
        try await GatewayHarness.run { store in
            let document = try await document(store, try await receipt(store))
            #expect(document.purchases.isEmpty)
            #expect(document.bundleId == Sample.bundleId)
            #expect(document.environment == .sandbox)
            #expect(document.customerIdentifier == FakePaymentQueue.customer)
            #expect(document.creationDate == store.payments.contents.withLock { $0.businessNow })
            #expect(document.applicationVersion == "1.0")
        }
    }

    @Test(arguments: [1, 2, 3, 100])
    func `a receipt has everything, however many pages it takes (P9)`(pageMax: Int) async throws {
        try await GatewayHarness.run { store in
            store.payments.buySamples()
            store.payments.contents.withLock { $0.pageMax = pageMax }
            let document = try await document(store, try await receipt(store))
            let items = store.payments.contents.withLock { $0.receiptItems }
            #expect(Set(document.purchases) == Set(items.map(ReceiptPurchase.init)))
            #expect(
                store.payments.contents.withLock { $0.receiptRequests.count } == (items.count + pageMax - 1) / pageMax)
        }
    }

    @Test func `a refresh fails where the tester is set so, with the error as StoreKit has it`() async throws {
        try await GatewayHarness.run { store in
            let failure = TransactionError(.cloudServiceRevoked, "as set")
            store.payments.contents.withLock { $0.simulatedReceiptError = failure }
            let answer = try await store.send(.GET, "/v1/receipt", token: try await store.session())
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
            #expect(answer.json["retryable"] == false)
            #expect(answer.json["simulatedError"] == "cloudServiceRevoked")
            let told = try #require(answer.json["error"])
            #expect(try StoreJSON.decode(TransactionError.self, from: StoreJSON.encode(told)) == failure)
            #expect(store.payments.contents.withLock { $0.receiptRequests.isEmpty })
        }
    }

    @Test func `without Catalog the receipt is still made, without PaymentQueue it is not`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.catalog.service.goAway()
            #expect(try await store.send(.GET, "/v1/receipt", token: token).status == 200)
            store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            let answer = try await store.send(.GET, "/v1/receipt", token: token)
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
        }
    }

    @Test func `the operator reads the root, as PEM and as DER`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/signing/root"
            let authority = try await store.apple.authority()
            let pem = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(pem.headers.first(name: "Content-Type") == "application/x-pem-file")
            #expect(pem.text == authority.rootPEM)
            let der = try await store.send(
                .GET, path, token: Sample.adminKey, headers: [("Accept", "application/pkix-cert")])
            #expect(der.body == authority.rootDER)
            #expect(try await store.send(.GET, path).status == 401)
            #expect(try await store.send(.GET, path, token: try await store.session()).status == 403)
        }
    }
}
