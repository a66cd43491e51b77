import EventLoop
import Foundation
import Logging
import NIOHTTP1
import Persistence
import Signing
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway

@Suite struct ReceiptTests {
    private func receipt(_ store: GatewayHarness) async throws -> String {
        let answer = try await store.send(.GET, "/v1/receipt", token: try await store.session())
        #expect(answer.status == 200)
        return try #require(answer.json["receiptData"]?.stringValue)
    }

    private func document(_ store: GatewayHarness, _ receiptData: String) async throws -> ReceiptDocument {
        try await ReceiptVerifier(root: try await store.gateway.signing.authority().root)
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
            let authority = try await store.gateway.signing.authority()
            let pem = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(pem.headers.first(name: "Content-Type") == "application/x-pem-file")
            #expect(try pem.text == authority.rootPEM())
            let der = try await store.send(
                .GET, path, token: Sample.adminKey, headers: [("Accept", "application/pkix-cert")])
            #expect(try der.body == authority.rootDER())
            #expect(try await store.send(.GET, path).status == 401)
            #expect(try await store.send(.GET, path, token: try await store.session()).status == 403)
        }
    }

    @Test func `a customer of many years keeps what decides about offers (M120)`() {
        let first = Timestamp(milliseconds: 1_600_000_000_000)
        let items = (0..<2_000).map { number in
            with(
                ReceiptItem(
                    transactionIdentifier: "\(number)", originalTransactionIdentifier: "0", productIdentifier: "p",
                    type: .autoRenewable, quantity: 1, purchaseDate: first + .seconds(number),
                    originalPurchaseDate: first)
            ) {
                $0.isTrialPeriod = number == 0
                $0.isInIntroOfferPeriod = number == 7
            }
        }
        let selected = ReceiptContents.selected(items, max: ReceiptContents.itemsMax)
        #expect(selected.count == ReceiptContents.itemsMax)
        #expect(selected.prefix(2).map(\.transactionIdentifier) == ["0", "7"])
        #expect(selected.dropFirst(2).map(\.transactionIdentifier) == (502..<2_000).map(String.init))
        #expect(ReceiptContents.selected(Array(items.prefix(5)), max: 5) == Array(items.prefix(5)))
        #expect(ReceiptContents.selected(items, max: 1).map(\.transactionIdentifier) == ["7"])
        // Page by page, as a history is read.
        let paged = stride(from: 0, to: items.count, by: 300).reduce([]) { kept, start in
            ReceiptContents.selected(kept + items[start..<min(start + 300, items.count)], max: ReceiptContents.itemsMax)
        }
        #expect(paged == selected)
    }

    @Test func `the greatest receipt fits in a request`() async throws {
        let directory = try TemporaryDirectory()
        let database = try KeyStore.open(in: directory.path, logger: InMemoryGateway.logger).database
        let instant = Timestamp(milliseconds: 1_795_600_000_000)
        let items = (0..<ReceiptContents.itemsMax).map { number in
            with(
                ReceiptItem(
                    transactionIdentifier: "\(2_000_000_000_000_000 + number)",
                    originalTransactionIdentifier: "2000000000000000",
                    productIdentifier: String(repeating: "p", count: 100), type: .autoRenewable, quantity: 10,
                    purchaseDate: instant, originalPurchaseDate: instant, expiresDate: instant)
            ) {
                $0.webOrderLineItemIdentifier = "\(Int64.max)"
                $0.isTrialPeriod = true
                $0.isInIntroOfferPeriod = true
                $0.cancellationDate = instant
            }
        }
        let facts = ReceiptContents(items: items, subscriptions: [], firstSeen: instant, now: instant)
        let data = try await ReceiptMaker(keys: SigningKeys(database: database), environment: .sandbox).receiptData(
            of: CustomerReference(bundleId: Sample.bundleId, customerIdentifier: "c"), facts, applicationVersion: "1.0")
        // Beside the receipt a request has a password and little else.
        #expect(data.utf8.count < 1 << 20 - 4096)
        await database.close()
    }

    @Test func `the certificates are made once and survive a restart`() async throws {
        let directory = try TemporaryDirectory()
        let first = try KeyStore.open(in: directory.path, logger: InMemoryGateway.logger).database
        async let one = SigningKeys(database: first).authority().rootDER()
        async let two = SigningKeys(database: first).authority().rootDER()
        let (root, other) = try await (one, two)
        #expect(root == other)
        await first.close()
        let second = try KeyStore.open(in: directory.path, logger: InMemoryGateway.logger).database
        #expect(try await SigningKeys(database: second).authority().rootDER() == root)
        await second.close()
        await #expect(throws: StoreError.self) { try await SigningKeys(database: second).authority() }
    }

    @Test func `root.cer and root.pem lie in the data directory`() async throws {
        let directory = try TemporaryDirectory()
        let authority = try CertificateAuthority()
        try RootCertificateFile.write(authority, in: directory.path)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.file("root.cer"))) == Data(authority.rootDER()))
        #expect(try String(contentsOfFile: directory.file("root.pem"), encoding: .utf8) == authority.rootPEM())
    }
}
