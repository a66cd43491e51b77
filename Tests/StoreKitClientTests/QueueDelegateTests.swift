import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: what the store asks is asked of the delegate once, and its answer reaches the store.
@Suite struct QueueDelegateTests {
    /// Answers as the test says, and writes down what it is asked.
    private final class Delegate: NSObject, SKPaymentQueueDelegate, Sendable {
        let answer: Bool
        let asked = LockedValue<[String]>([])
        init(_ answer: Bool) { self.answer = answer }

        func paymentQueue(
            _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
            in newStorefront: SKStorefront
        ) -> Bool {
            asked.withLock { $0.append("\(transaction.payment.productIdentifier) \(newStorefront.countryCode)") }
            return answer
        }

        func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool {
            asked.withLock { $0.append("price") }
            return answer
        }
    }

    /// A queue whose store takes answers, before its observer is registered.
    private func open() throws -> ObservedQueue {
        let shop = try ObservedQueue(isObserving: false)
        for line in ["POST /v1/transactions/*/continue", "POST /v1/subscriptions/*/price-consent"] {
            shop.gateway.on(line) { _ in .json([String: String]()) }
        }
        return shop
    }

    private func waiting(_ id: String, device: String = "alice-1", revision: Int = 2) -> PaymentTransaction {
        var transaction = PaymentTransaction.sample(id, .purchasing, revision: revision, product: "p", device: device)
        transaction.storefrontChange = StorefrontChange(
            storefront: StoreModels.Storefront(countryCode: "FRA", identifier: "143442"),
            answerBy: Timestamp(milliseconds: 1_795_600_000_000))
        return transaction
    }

    @Test(arguments: [true, false])
    func `L17: the delegate says whether a purchase continues in another storefront`(answer: Bool) async throws {
        let shop = try open()
        let delegate = Delegate(answer)
        shop.queue.delegate = delegate
        shop.queue.add(shop.observer)
        shop.stream.updated([.sample("t1", .purchasing, revision: 1, product: "p"), .sample("t2", .deferred)])
        shop.stream.updated([waiting("t1")])
        // A connection that breaks brings it again; another device's purchase is that device's to answer.
        shop.stream.updated([waiting("t1"), waiting("t3", device: "alice-2")])
        try await eventually("it is answered") { shop.gateway.requests("POST /v1/transactions/t1/continue").count == 1 }
        #expect(
            shop.gateway.requests("POST /v1/transactions/t1/continue")[0].json
                == .object(["shouldContinue": .bool(answer)]))
        var failed = PaymentTransaction.sample("t1", .failed, revision: 3, product: "p")
        failed.error = TransactionError(.storeProductNotAvailable, "not there")
        shop.stream.updated([failed])
        try await eventually("it has ended") { shop.observer.states.contains(.failed) }
        #expect(shop.observer.transactions.last?.error.map { SKError.storeProductNotAvailable ~= $0 } == true)
        #expect(delegate.asked.withLock { $0 } == ["p FRA"])
        // The question is no new state.
        #expect(shop.observer.states.filter { $0 == .purchasing }.count == 2)
        #expect(shop.gateway.requests("POST /v1/transactions/t3/continue").isEmpty)
    }

    @Test func `an app without a delegate continues at once`() async throws {
        let shop = try open()
        shop.queue.add(shop.observer)
        shop.stream.updated([waiting("t1")])
        try await eventually("it is answered") { shop.gateway.requests("POST /v1/transactions/t1/continue").count == 1 }
        #expect(shop.gateway.requests("POST /v1/transactions/t1/continue")[0].json["shouldContinue"] == true)
    }

    @Test func `the delegate puts a price consent off, and the app has it shown later`() async throws {
        let shop = try open()
        let delegate = Delegate(false)
        shop.queue.delegate = delegate
        shop.queue.showPriceConsentIfNeeded()
        shop.queue.add(shop.observer)
        let line = "POST /v1/subscriptions/200001/price-consent"
        for _ in 0..<2 { shop.stream.send("shouldShowPriceConsent", ["originalTransactionIdentifier": "200001"]) }
        shop.stream.updated([.sample("t2", .deferred)])
        try await eventually("both were heard") { shop.observer.states == [.deferred] }
        try await eventually("it is answered") { shop.gateway.requests(line).count == 1 }
        shop.queue.showPriceConsentIfNeeded()
        try await eventually("it is shown") { shop.gateway.requests(line).count == 2 }
        #expect(shop.gateway.requests(line).map { $0.json["show"] } == [false, true])
        #expect(delegate.asked.withLock { $0 } == ["price"])
    }

    @Test func `without a delegate the store asks the person by itself`() async throws {
        let shop = try open()
        shop.queue.add(shop.observer)
        shop.stream.send("shouldShowPriceConsent", ["originalTransactionIdentifier": "200001"])
        shop.stream.updated([.sample("t2", .deferred)])
        try await eventually("it was heard") { shop.observer.states == [.deferred] }
        #expect(shop.gateway.requests("POST /v1/subscriptions/200001/price-consent").isEmpty)
    }
}
