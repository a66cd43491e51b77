import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: test suites that replace StoreKit's objects by their own compile and work, without a store.
@Suite struct SubclassTests {
    private final class Listener: NSObject, SKProductsRequestDelegate {
        var products: [SKProduct] = []
        var ends = 0
        func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
            products = response.products
        }
        func requestDidFinish(_ request: SKRequest) { ends += 1 }
    }

    @Test func `objects that the store did not make equal themselves alone`() {
        let objects: [NSObject] = [
            SKProduct(), SKProductDiscount(), SKProductSubscriptionPeriod(), SKProductsResponse(), SKStorefront(),
            SKPayment(), SKMutablePayment(), SKPaymentDiscount(), SKPaymentTransaction(), SKDownload(),
            SKPaymentQueue(),
            SKRequest(), SKProductsRequest(), SKReceiptRefreshRequest(), MockProduct(identifier: "p"),
            MockProduct(identifier: "p"), MockTransaction(), MockTransaction(),
        ]
        for (left, object) in objects.enumerated() {
            for (right, other) in objects.enumerated() { #expect(object.isEqual(other) == (left == right)) }
        }
        #expect(Set(objects).count == objects.count)
    }

    @Test func `objects of the store are equal when it says the same of them`() throws {
        let model = try StoreModels.Product.sample("p")
        #expect(SKProduct(model) == SKProduct(model))
        #expect(SKProduct(model).hash == SKProduct(model).hash)
        #expect(SKProduct(model) != SKProduct(try StoreModels.Product.sample("q")))
        #expect(SKProduct(model) != MockProduct(identifier: "p"))
        let payment = SKPayment(product: SKProduct(model))
        #expect(payment == SKPayment(product: SKProduct(model)) && payment != SKPayment())
    }

    @Test func `what was not said by the store is empty`() {
        let product = SKProduct()
        #expect(product.productIdentifier.isEmpty && product.price == 0 && product.discounts.isEmpty)
        #expect(product.subscriptionPeriod == nil && product.contentVersion.isEmpty && product.contentLengths.isEmpty)
        #expect(SKPaymentTransaction().payment.productIdentifier.isEmpty && SKDownload().downloadState == .waiting)
        #expect(SKPaymentTransaction().downloads.isEmpty && SKStorefront().countryCode.isEmpty)
    }

    @Test func `a payment reads its subclass's properties, and a queue sends them`() async throws {
        let gateway = try FakeGateway()
        gateway.on("POST /v1/payments") { .json(PaymentTransaction.sample("t", key: $0.key ?? ""), status: 201) }
        let queue = gateway.queue()
        #expect(SKPayment(product: MockProduct(identifier: "mock")).productIdentifier == "mock")
        queue.add(MockPayment(of: MockProduct(identifier: "mock")))
        try await eventually("it is sent") { gateway.requests("POST /v1/payments").count == 1 }
        let sent = try #require(gateway.requests("POST /v1/payments").first?.json)
        #expect(sent == .object(["productIdentifier": "mock", "quantity": 2]))
        let signed = SKMutablePayment(product: MockProduct(identifier: "mock"))
        signed.paymentDiscount = MockPaymentDiscount(
            identifier: "x", keyIdentifier: "k", nonce: UUID(), signature: "s", timestamp: 1)
        queue.add(signed)
        try await eventually("it is sent") { gateway.requests("POST /v1/payments").count == 2 }
        #expect(gateway.requests("POST /v1/payments").last?.json["paymentDiscount"]?["identifier"] == "summer")
    }

    @Test func `subclasses answer as the app's tests want`() throws {
        let listener = Listener()
        let request = MockProductsRequest(productIdentifiers: ["mock"])
        request.delegate = listener
        request.start()
        #expect(request.asked == ["mock"] && listener.products.map(\.productIdentifier) == ["mock"])
        let receipt = MockReceiptRequest(receiptProperties: nil)
        receipt.delegate = listener
        receipt.start()
        #expect(listener.ends == 1)
        let queue = MockQueue()
        queue.add(SKPayment(product: MockProduct(identifier: "a")))
        #expect(!MockQueue.canMakePayments() && queue.added.count == 1 && queue.transactions.count == 1)
        let promotions = MockPromotionController()
        promotions.update(storePromotionOrder: [MockProduct(identifier: "a")])
        #expect(promotions.shown.count == 1)
        let transaction = MockTransaction()
        transaction.transactionState = .failed
        #expect(transaction.transactionState == .failed && (transaction.error as? SKError)?.code == .paymentCancelled)
        #expect(MockDiscount().offerText == "$1.00 for 3 weeks")
    }

    @Test func `a copy of a payment does not change, and a mutable copy can be changed`() throws {
        let payment = SKMutablePayment(product: SKProduct(try StoreModels.Product.sample("p")))
        payment.quantity = 2
        let copy = try #require(payment.copy() as? SKPayment)
        let mutable = try #require(copy.mutableCopy() as? SKMutablePayment)
        #expect(!(copy is SKMutablePayment) && copy !== payment && copy == payment && mutable == copy)
        payment.quantity = 3
        mutable.quantity = 4
        #expect((copy.quantity, payment.quantity, mutable.quantity) == (2, 3, 4))
        // A deferred purchase is still continued by its copy.
        let promoted = SKPayment(PaymentFields(promoted: try .sample("i1")))
        #expect((promoted.mutableCopy() as? SKPayment)?.fields.intentIdentifier == "i1")
    }

    @Test func `queues, requests and payments are made without a store; only asking it needs one`() async throws {
        await #expect(processExitsWith: .success) {
            unsetenv("STOREBUS_URL")
            let request = SKProductsRequest(productIdentifiers: ["a"])
            let queue = SKPaymentQueue.default()
            _ = (SKReceiptRefreshRequest(), SKPaymentQueue(), SKProductStorePromotionController.default())
            guard queue.transactions.isEmpty, queue.transactionObservers.isEmpty, queue.delegate == nil else { exit(1) }
            queue.remove(OlderObserver())
            let connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            StoreConnection.use(connection)
            request.start()
        }
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            unsetenv("STOREBUS_URL")
            SKProductsRequest(productIdentifiers: ["a"]).start()
        }
        let said = String(decoding: try #require(end).standardErrorContent, as: UTF8.self)
        #expect(said.contains("no store: call StoreConnection.use(_:)"), "\(said)")
    }

    @Test func `an invalid receipt ends the process with status 173`() async {
        await #expect(processExitsWith: .exitCode(173)) { SKTerminateForInvalidReceipt() }
    }

    @Test func `a delegate is not retained, and leaves both questions to the default`() async throws {
        final class Silent: NSObject, SKPaymentQueueDelegate {}
        let queue = SKPaymentQueue()
        do {
            let silent = Silent()
            queue.delegate = silent
            #expect(queue.delegate === silent)
            #expect(silent.paymentQueue(queue, shouldContinue: SKPaymentTransaction(), in: SKStorefront()))
            #expect(silent.paymentQueueShouldShowPriceConsent(queue))
        }
        #expect(queue.delegate == nil)
    }
}
