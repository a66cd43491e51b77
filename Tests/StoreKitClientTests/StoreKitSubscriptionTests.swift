import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Subscriptions as an app sees them: renewals with their original, signed offers on their way to the store.
@Suite struct StoreKitSubscriptionTests {
    @Test func `a renewal is a purchased transaction with what was bought first`() async throws {
        let shop = try ObservedQueue()
        var renewal = PaymentTransaction.sample("t2", .purchased, revision: 2, product: "pro.monthly")
        let first = PaymentTransaction.sample("t1", .purchased, revision: 1, product: "pro.monthly")
        renewal.original = OriginalTransaction(first)
        shop.stream.updated([renewal])
        try await eventually("the renewal is told") { !shop.queue.transactions.isEmpty }
        let transaction = try #require(shop.queue.transactions.first)
        #expect(transaction.transactionState == .purchased)
        #expect(transaction.transactionIdentifier == "200002")
        #expect(transaction.original?.transactionIdentifier == "200001")
        #expect(transaction.original?.transactionDate != nil)
        #expect(transaction.original?.original == nil)
        shop.queue.remove(shop.observer)
    }

    @Test func `a signed offer goes to the store as the app's server made it`() async throws {
        let gateway = try FakeGateway()
        gateway.on("GET /v1/transactions/stream") { _ in .stream(FakeStream.beginning()) }
        gateway.on("POST /v1/payments") { request in
            .json(PaymentTransaction.sample("t1", .purchased, key: request.key ?? ""), status: 201)
        }
        let queue = gateway.queue()
        let payment = SKMutablePayment(
            product: SKProduct(try StoreModels.Product.subscription(.freeTrial, amount: "0.00")))
        let nonce = UUID()
        payment.applicationUsername = "a user"
        payment.paymentDiscount = SKPaymentDiscount(
            identifier: "summer", keyIdentifier: "A1B2C3D4", nonce: nonce, signature: "MEUCIQ==",
            timestamp: NSNumber(value: 1_795_600_000_000 as Int64))
        queue.add(payment)
        try await eventually("the store is asked") { gateway.requests("POST /v1/payments").count == 1 }
        let body = try #require(gateway.requests("POST /v1/payments").first?.json)
        let signed: [String: JSONValue] = [
            "identifier": "summer", "keyIdentifier": "A1B2C3D4", "nonce": .string(nonce.uuidString.lowercased()),
            "signature": "MEUCIQ==", "timestamp": .integer(1_795_600_000_000),
        ]
        #expect(body["paymentDiscount"] == .object(signed))
        #expect(body["applicationUsername"] == "a user")
        #expect(body["productIdentifier"] == "pro.monthly")
    }

    @Test(arguments: [
        (StoreModels.SKErrorCode.invalidOfferIdentifier, SKError.Code.invalidOfferIdentifier),
        (.invalidSignature, .invalidSignature), (.missingOfferParams, .missingOfferParams),
        (.ineligibleForOffer, .ineligibleForOffer),
    ])
    func `an offer that is refused fails by StoreKit's own code`(
        told: StoreModels.SKErrorCode, code: SKError.Code
    ) async throws {
        let shop = try ObservedQueue()
        var failed = PaymentTransaction.sample("t1", .failed, product: "pro.monthly")
        failed.error = TransactionError(told, "refused")
        shop.stream.updated([failed])
        try await eventually("the failure is told") { shop.observer.transactions.count == 1 }
        #expect((shop.observer.transactions.first?.error as? SKError)?.code == code)
        shop.queue.remove(shop.observer)
    }
}
