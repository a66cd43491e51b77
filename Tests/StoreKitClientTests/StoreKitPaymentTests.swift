import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: a purchase is charged once and reported completely, with any requests and answers lost.
@Suite struct StoreKitPaymentTests {
    private let line = "POST /v1/payments"

    @Test func `M37: purchasing is reported first, then purchased, each once`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { shop.purchase($0) }
        shop.buy()
        try await eventually("it is purchased") { shop.observer.states.contains(.purchased) }
        #expect(shop.observer.states == [.purchasing, .purchased])
        #expect(Set(shop.observer.transactions).count == 1, "one transaction through all its states")
        let purchased = try #require(shop.observer.transactions.last)
        #expect(purchased.transactionIdentifier != nil && purchased.transactionDate != nil)
        #expect(purchased.error == nil)
        #expect(shop.queue.transactions == [purchased])
    }

    @Test(arguments: [
        "a connection that breaks", "an unknown outcome", "a payment in flight", "a gateway's own fault",
    ])
    func `P3, P4: a lost answer is asked for with the same key`(fault: String) async throws {
        let shop = try ObservedQueue()
        let faults: [String: FakeAnswer] = [
            "a connection that breaks": .drop, "an unknown outcome": .problem(.outcomeUnknown),
            "a payment in flight": .problem(.inFlight), "a gateway's own fault": .problem(.internal),
        ]
        let answer = try #require(faults[fault])
        shop.gateway.on(line) { request in
            shop.gateway.requests("POST /v1/payments").count < 4 ? answer : shop.purchase(request)
        }
        shop.buy()
        try await eventually("it is purchased") { shop.observer.states.contains(.purchased) }
        let keys = shop.gateway.requests(line).map(\.key)
        #expect(keys.count == 4 && Set(keys).count == 1 && keys[0]?.isEmpty == false)
        #expect(shop.observer.states == [.purchasing, .purchased])
    }

    @Test func `the same payment added twice is two purchases with two keys`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { .json(PaymentTransaction.sample("t-\($0.key ?? "")", .purchasing), status: 202) }
        let payment = SKPayment(PaymentFields(productIdentifier: "p"))
        shop.queue.add(payment)
        shop.queue.add(payment)
        try await eventually("both are sent") { shop.gateway.requests(line).count == 2 }
        #expect(Set(shop.gateway.requests(line).map(\.key)).count == 2)
        #expect(shop.queue.transactions.count == 2)
    }

    @Test func `a payment says what it says, and is copied when it is added`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { _ in .json(PaymentTransaction.sample("t1", .purchasing), status: 202) }
        let payment = SKMutablePayment(product: SKProduct(try StoreModels.Product.sample("p")))
        payment.quantity = 3
        payment.applicationUsername = "u-17"
        payment.simulatesAskToBuyInSandbox = true
        shop.queue.add(payment)
        payment.quantity = 9
        try await eventually("it is sent") { shop.gateway.requests(line).count == 1 }
        let expected: JSONValue = .object([
            "productIdentifier": "p", "quantity": 3, "applicationUsername": "u-17", "simulatesAskToBuyInSandbox": true,
        ])
        #expect(shop.gateway.requests(line)[0].json == expected)
        #expect(shop.queue.transactions.map(\.payment.quantity) == [3])
    }

    @Test func `M14, M31: what the store refuses is a failed transaction with an SKError`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { _ in .problem(.notImplemented, "promotional offers are not sold yet") }
        shop.buy()
        try await eventually("it has failed") { shop.observer.states.contains(.failed) }
        #expect(shop.observer.states == [.purchasing, .failed])
        let failed = try #require(shop.observer.transactions.last)
        let error = try #require(failed.error as? SKError)
        #expect(error.code == .unknown && error.localizedDescription == "promotional offers are not sold yet")
        #expect((error.underlying as? StoreProblem)?.status == 501)
        // M56: it is finished like the others, though it never reached the store.
        shop.queue.finishTransaction(failed)
        try await eventually("it is removed") { shop.observer.calls.contains(.removed(1)) }
        #expect(shop.queue.transactions.isEmpty)
    }

    @Test func `a store that cannot be reached fails a payment after a while`() async throws {
        let shop = try ObservedQueue()
        try await eventually("the stream is open") { shop.queue.storefront != nil }
        shop.gateway.stop()
        shop.buy()
        try await eventually("it has failed") { shop.observer.states.contains(.failed) }
        #expect(shop.observer.states == [.purchasing, .failed])
    }

    @Test func `a payment whose outcome is unknown does not fail, however long the store is away`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { request in
            switch shop.gateway.requests("POST /v1/payments").count {
            case 1: .drop
            case 2..<30: .problem(.serviceUnavailable)
            default: shop.purchase(request)
            }
        }
        shop.buy()
        try await eventually("it is purchased") { shop.observer.states.contains(.purchased) }
        #expect(shop.observer.states == [.purchasing, .purchased])
    }

    @Test func `M29: deferred is reported and lets other payments go on; the same transaction is purchased later`()
        async throws
    {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { request in
            let (key, id) = (request.key ?? "", request.json["productIdentifier"]?.stringValue ?? "")
            let state = id == "slow" ? TransactionState.deferred : .purchased
            shop.stream.updated([.sample(id, .purchasing, revision: 1, key: key)])
            shop.stream.updated([.sample(id, state, revision: 2, key: key)])
            return .json(PaymentTransaction.sample(id, state, revision: 2, key: key), status: 201)
        }
        shop.buy("slow")
        try await eventually("it is deferred") { shop.observer.states.contains(.deferred) }
        shop.buy("quick")
        try await eventually("the other one is purchased") { shop.observer.states.contains(.purchased) }
        let key = shop.gateway.requests(line)[0].key ?? ""
        shop.stream.updated([.sample("slow", .purchased, revision: 3, key: key)])
        try await eventually("both are purchased") { shop.observer.states.filter { $0 == .purchased }.count == 2 }
        #expect(shop.observer.states == [.purchasing, .deferred, .purchasing, .purchased, .purchased])
        #expect(Set(shop.observer.transactions).count == 2)
    }

    @Test func `a purchase that a broken stream has hidden is reported from where the next one begins`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { request in
            let purchased = PaymentTransaction.sample("t1", .purchased, revision: 2, key: request.key ?? "")
            shop.gateway.on("GET /v1/transactions/stream") { _ in .stream(.beginning(with: [purchased])) }
            shop.stream.cut()
            return .json(purchased, status: 201)
        }
        shop.buy()
        try await eventually("it is purchased") { shop.observer.states.contains(.purchased) }
        #expect(shop.observer.states == [.purchasing, .purchased])
    }

    @Test func `one payment beyond the bound fails at once, uncharged`() async throws {
        let shop = try ObservedQueue()
        shop.gateway.on(line) { _ in .silence }
        for _ in 0...ClientLimits.paymentsMax { shop.buy() }
        try await eventually("one has failed") { shop.observer.states.contains(.failed) }
        #expect(shop.observer.states.filter { $0 == .failed }.count == 1)
        #expect(shop.queue.transactions.count == ClientLimits.paymentsMax + 1)
    }

    @Test func `a payment for nothing and one for no pieces or too many are programming errors`() async {
        await #expect(processExitsWith: .failure) {
            let connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            SKPaymentQueue(connection: connection).add(SKMutablePayment())
        }
        await #expect(processExitsWith: .failure) {
            let connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            let payment = SKMutablePayment(PaymentFields(productIdentifier: "p"))
            payment.quantity = 11
            SKPaymentQueue(connection: connection).add(payment)
        }
    }
}

extension ObservedQueue {
    /// The store's side of a purchase: the stream first, then the answer.
    @Sendable fileprivate func purchase(_ request: FakeRequest) -> FakeAnswer {
        let key = request.key ?? ""
        stream.updated([.sample("t1", .purchasing, revision: 1, key: key)])
        stream.updated([.sample("t1", .purchased, revision: 2, key: key)])
        return .json(PaymentTransaction.sample("t1", .purchased, revision: 2, key: key), status: 201)
    }

    fileprivate func buy(_ product: String = "com.example.hiddenBeaches") {
        queue.add(SKPayment(PaymentFields(productIdentifier: product)))
    }
}
