import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: what widely used wrappers of StoreKit 1 do works as they do it. Method: an app's class written as theirs are,
/// with their defaults, against a gateway of the test's.
@Suite struct WrapperTests {
    private struct Reply: Encodable {
        var products: [StoreModels.Product]
        var invalidProductIdentifiers: [String] = []
        var degraded: [String] = []
    }

    /// The app and its store. Everything the app's class holds is looked at on the callback queue it is called on.
    private final class Shop: Sendable {
        let gateway: FakeGateway
        let queue: SKPaymentQueue
        let stream = FakeStream.beginning()
        let warnings = LockedValue<[String]>([])
        private let callbacks = DispatchQueue(label: "callbacks")
        nonisolated(unsafe) let app = OneImport()

        init() throws {
            let warnings = warnings
            let callbacks = callbacks
            gateway = try FakeGateway()
            queue = gateway.queue { connection, _ in
                connection.callbackTarget = callbacks
                connection.log = { line in warnings.withLock { $0.append(line) } }
            }
            gateway.on("GET /v1/transactions/stream") { [stream] _ in .stream(stream) }
        }

        /// What the app holds.
        func read<Value: Sendable>(_ value: (OneImport) -> Value) -> Value { callbacks.sync { value(app) } }
    }

    @Test func `a products request that is not kept is answered`() async throws {
        let shop = try Shop()
        let product = try StoreModels.Product.sample("a")
        shop.gateway.on("POST /v1/products/query") { _ in .json(Reply(products: [product])) }
        shop.app.fetch(["a"], from: shop.queue)
        try await eventually("the products are there") { !shop.read { $0.products }.isEmpty }
        #expect(OneImport.describe(try #require(shop.read { $0.products.first })) == "$1.99 0.0 GET")
    }

    @Test func `an empty applicationUsername is none, in a payment and in a restore`() async throws {
        let shop = try Shop()
        shop.queue.add(shop.app)
        shop.gateway.on("POST /v1/payments") { request in
            let key = request.key ?? ""
            shop.stream.updated([.sample("t1", .purchased, revision: 2, key: key)])
            return .json(PaymentTransaction.sample("t1", .purchased, revision: 2, key: key), status: 201)
        }
        shop.gateway.on("POST /v1/transactions/*/finish") { _ in .json([String: String]()) }
        shop.gateway.on("POST /v1/restore") { _ in
            shop.stream.send("restoreCompletedTransactionsFinished", ["restoreIdentifier": "r1"])
            return .json(["restoreIdentifier": "r1"], status: 202)
        }
        let payment = SKMutablePayment(product: SKProduct(try StoreModels.Product.sample("a")))
        payment.applicationUsername = ""
        shop.queue.add(payment)
        #expect(payment.applicationUsername == "")
        try await eventually("it is purchased") { shop.read { $0.states } == [.purchasing, .purchased] }
        #expect(shop.gateway.requests("POST /v1/payments").map { $0.json["applicationUsername"] } == [nil])
        shop.queue.restoreCompletedTransactions(withApplicationUsername: "")
        try await eventually("the restore has ended") { shop.read { $0.restoreEnds } == 1 }
        #expect(shop.gateway.requests("POST /v1/restore").map(\.json) == [.object([:])])
    }

    @Test func `finishing everything that is not purchasing leaves a deferred purchase alone at every launch`()
        async throws
    {
        let shop = try Shop()
        shop.gateway.on("POST /v1/transactions/*/finish") { _ in .json([String: String]()) }
        let unfinished: [PaymentTransaction] = [
            .sample("t1", .deferred), .sample("t2", .failed), .sample("t3", .restored), .sample("t4", .purchased),
        ]
        for launch in 1...3 {
            let left = launch == 1 ? unfinished : Array(unfinished.prefix(1))
            shop.gateway.on("GET /v1/transactions/stream") { _ in .stream(.beginning(with: left)) }
            shop.queue.add(shop.app)
            try await eventually("launch \(launch) is told") {
                shop.read { $0.states }.filter { $0 == .deferred }.count == launch
                    && shop.gateway.requests("POST /v1/transactions/t4/finish").count == 1
            }
            shop.queue.remove(shop.app)
        }
        #expect(shop.gateway.requests("POST /v1/transactions/t1/finish").isEmpty)
        #expect(shop.gateway.requests("POST /v1/transactions/t2/finish").count == 1)
        #expect(shop.warnings.withLock { $0 }.filter { $0.contains("deferred") }.count == 3)
    }

    @Test func `a payment with requestData is refused, uncharged`() async throws {
        let shop = try Shop()
        shop.queue.add(shop.app)
        let payment = SKMutablePayment(product: SKProduct(try StoreModels.Product.sample("a")))
        payment.requestData = Data([1])
        shop.queue.add(payment)
        try await eventually("it has failed") { shop.read { $0.states } == [.purchasing, .failed] }
        #expect(shop.gateway.requests("POST /v1/payments").isEmpty)
    }

    @Test func `an optional method is called where the conforming class has it; a subclass is warned of`() async throws
    {
        final class Ended: OneImport {
            // Not called: `OneImport` conforms, and has no such method.
            func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
                Issue.record("removedTransactions was called, so the README is wrong")
            }
            override func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
                restoreEnds += 10
            }
        }
        let shop = try Shop()
        let callbacks = try #require(shop.queue.core.connection.callbackTarget)
        nonisolated(unsafe) let subclass = Ended()
        shop.queue.add(shop.app)
        #expect(!shop.warnings.withLock { $0 }.contains { $0.contains("inherits") })
        for _ in 0..<2 {
            shop.queue.remove(subclass)
            shop.queue.add(subclass)
        }
        let warned = shop.warnings.withLock { $0 }.filter { $0.contains("inherits its conformance from OneImport") }
        #expect(warned.count == 1 && warned.allSatisfy { $0.contains("Ended") }, "\(warned)")
        shop.stream.updated([.sample("t1", .deferred)])
        shop.stream.removed([.sample("t1", .deferred)])
        shop.stream.send("restoreCompletedTransactionsFinished", ["restoreIdentifier": "r1"])
        try await eventually("the override is called") { callbacks.sync { subclass.restoreEnds } == 10 }
    }
}
