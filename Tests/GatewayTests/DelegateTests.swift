import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@testable import AppAPI

/// What the store asks an app, and the app's answers (docs/delegate.md).
@Suite struct DelegateTests {
    private static let question = PriceConsentQuestion(
        originalTransactionIdentifier: "1000000001", productIdentifier: "com.example.pro", price: Sample.pro.price,
        formerPrice: Sample.pro.price)

    private static let customer = CustomerReference(
        bundleId: Sample.bundleId, customerIdentifier: FakePaymentQueue.customer)

    @Test(arguments: [true, false])
    func `L17: whether a purchase goes on is passed on, of the session's device`(shouldContinue: Bool) async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("t_1"))
            let answer = try await store.send(
                .POST, "/v1/transactions/t_1/continue", token: try await store.session(),
                body: #"{"shouldContinue":\#(shouldContinue)}"#)
            #expect(answer.status == 200)
            #expect(answer.json["id"] == "t_1")
            let told = try #require(store.payments.contents.withLock { $0.continued }.first)
            #expect(told.shouldContinue == shouldContinue)
            #expect(told.transaction.id == "t_1")
            #expect(told.transaction.deviceId == "alice-1")
            #expect(told.transaction.customerIdentifier == FakePaymentQueue.customer)
        }
    }

    @Test(arguments: [true, false])
    func `whether the price is asked about is passed on`(show: Bool) async throws {
        try await GatewayHarness.run { store in
            store.payments.subscribe()
            let answer = try await store.send(
                .POST, "/v1/subscriptions/1000000001/price-consent", token: try await store.session(),
                body: #"{"show":\#(show)}"#)
            #expect(answer.status == 200)
            #expect(answer.json["originalTransactionIdentifier"] == "1000000001")
            let told = try #require(store.payments.contents.withLock { $0.shown }.first)
            #expect(told.show == show)
            #expect(told.customerIdentifier == FakePaymentQueue.customer)
        }
    }

    @Test(arguments: [
        ("/v1/transactions/t_1/continue", "{}", "$.shouldContinue"),
        ("/v1/transactions/t_1/continue", #"{"shouldContinue":"yes"}"#, "$.shouldContinue"),
        ("/v1/subscriptions/1/price-consent", #"{"show":true,"because":1}"#, "$.because"),
    ])
    func `an answer that is none is refused`(path: String, body: String, member: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, path, token: try await store.session(), body: body)
            #expect(answer.status == 400)
            #expect(answer.json["path"]?.stringValue == member)
        }
    }

    @Test func `a higher price is sent live, and with each opening before it is synchronized`() {
        var machine = DeliveryMachine(customer: Self.customer, deviceId: "alice-1", storefront: "USA")
        var page = Snapshot(transactions: [], seq: 3)
        page.priceConsents = [Self.question]
        #expect(
            machine.receive(page) == [
                .updated(seq: 3, []), .priceConsentPending(seq: 3, Self.question), .synchronized(seq: 3),
            ])
        var bought = Sample.purchased("t_1")
        bought.originalTransactionIdentifier = "1000000001"
        bought.payment.productIdentifier = "com.example.pro"
        func change(_ seq: Int64, _ status: PriceIncrease.Status?) -> CustomerChange {
            bought.priceIncrease = status.map {
                PriceIncrease(status: $0, price: Sample.pro.price, formerPrice: Sample.pro.price)
            }
            return CustomerChange(
                bundleId: Self.customer.bundleId, customerIdentifier: Self.customer.customerIdentifier, seq: seq,
                kind: .subscriptionChanged, transaction: bought)
        }
        #expect(machine.receive(hint: change(4, .pending)) == [.priceConsentPending(seq: 4, Self.question)])
        #expect(machine.receive(hint: change(5, .agreed)).isEmpty)
        #expect(machine.receive(hint: change(6, nil)).isEmpty)
        #expect(machine.position == 6)
    }
}
