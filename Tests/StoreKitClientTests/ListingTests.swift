import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: the listings of the documents this store is made after compile against the library, in Swift 6 mode, and do what
/// the text around them says. Method: the sample app of `SampleApp` runs against a gateway of the test's, through
/// `SKPaymentQueue.default()`, which a process has one of; so the journeys are made one after the other.
@Suite(.serialized) struct ListingTests {
    /// Behind the process's one queue.
    static let store = Result {
        let gateway = try FakeGateway()
        StoreConnection.use(gateway.connection())
        return gateway
    }

    private final class Screen: StoreObserverDelegate {
        let messages = Locked<[String]>([])
        func storeObserverDidReceiveMessage(_ message: String) { messages.withLock { $0.append(message) } }
    }

    private struct ProductsReply: Encodable {
        var products: [Product]
        var invalidProductIdentifiers: [String]
        var degraded: [String] = []
    }

    @Test func `L7 to L14, M15, M18, M32, M44: the sample app sells, tells, restores and finishes`() async throws {
        let gateway = try Self.store.get()
        let stream = FakeStream.beginning()
        gateway.on("GET /v1/transactions/stream") { _ in .stream(stream) }
        let beaches = try Product.sample(
            "com.example.hiddenBeaches", currency: "EUR", locale: "fr_FR@currency=EUR")
        gateway.on("POST /v1/products/query") { _ in
            .json(ProductsReply(products: [beaches], invalidProductIdentifiers: ["com.example.unknown"]))
        }
        gateway.on("POST /v1/transactions/*/finish") { _ in .json([String: String]()) }
        gateway.on("POST /v1/restore") { _ in .json(["restoreIdentifier": "r1"], status: 202) }

        // L7 to L10
        let manager = StoreManager.shared
        let hasRefreshed = Locked(false)
        manager.didRefresh = { hasRefreshed.withLock { $0 = true } }
        #expect(manager.isAuthorizedForPayments)
        manager.startProductRequest(with: ["com.example.hiddenBeaches", "com.example.unknown"])
        try await eventually("the products are there") { hasRefreshed.withLock { $0 } }
        let product = try #require(manager.availableProducts.first)
        #expect(manager.invalidProductIdentifiers == ["com.example.unknown"])
        #expect(product.regularPrice?.replacingOccurrences(of: "\u{A0}", with: " ") == "1,99 €")

        // L11 and L14
        let screen = Screen()
        StoreObserver.shared.delegate = screen
        SKPaymentQueue.default().add(StoreObserver.shared)
        gateway.on("POST /v1/payments") { request in
            let key = request.key ?? ""
            stream.updated([.sample("t1", .purchasing, revision: 1, key: key)])
            stream.updated([.sample("t1", .deferred, revision: 2, key: key)])
            stream.updated([.sample("t1", .purchased, revision: 3, key: key)])
            return .json(PaymentTransaction.sample("t1", .purchased, revision: 3, key: key), status: 201)
        }
        StoreObserver.shared.buy(product)
        try await eventually("the purchase is finished") {
            gateway.requests("POST /v1/transactions/t1/finish").count == 1
        }
        #expect(StoreObserver.shared.purchased.map(\.transactionIdentifier) == ["200003"])
        #expect(StoreObserver.shared.deferredCount == 1)

        // L12
        var declined = PaymentTransaction.sample("t3", .failed)
        declined.error = TransactionError(.unknown, "declined")
        stream.updated([.sample("t2", .failed), declined])
        try await eventually("the failure is shown") { !screen.messages.withLock { $0.isEmpty } }
        #expect(screen.messages.withLock { $0 } == ["\(Messages.failed) com.example.hiddenBeaches"])

        // L13
        await MainActor.run { ProductsViewController().restore(UIBarButtonItem()) }
        try await eventually("the store is asked") { gateway.requests("POST /v1/restore").count == 1 }
        stream.updated([.sample("t4", .restored)])
        stream.send("restoreCompletedTransactionsFinished", ["restoreIdentifier": "r1"])
        try await eventually("the restore has ended") { StoreObserver.shared.hasRestoreEnded }
        #expect(StoreObserver.shared.restored.count == 1)
        SKPaymentQueue.default().remove(StoreObserver.shared)
        try await eventually("the stream is closed") { stream.isClosed }
    }
}
