import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: a purchase that began in the store reaches the observer once, and its answer reaches the store, after any
/// failure.
@Suite struct PromotedPurchaseTests {
    private let streamLine = "GET /v1/transactions/stream"
    private let decisionLine = "POST /v1/intents/*/decision"

    private func declared(_ gateway: FakeGateway) -> [String?] {
        gateway.requests("POST /v1/sessions").map { $0.json["promotedPurchases"]?.stringValue }
    }

    @Test func `M69, M75: the launch says which way the app handles promoted purchases, seen without asking it`()
        async throws
    {
        let observers: [(any SKPaymentTransactionObserver, String)] = [
            (RecordingObserver(), "none"), (AskedObserver { _, _ in true }, "delegate"), (OlderObserver(), "delegate"),
        ]
        for (observer, expected) in observers {
            let store = try FakePromotions()
            let queue = store.gateway.queue()
            queue.add(observer)
            try await eventually("it is launched") { store.gateway.requests(streamLine).count == 1 }
            #expect(declared(store.gateway) == [expected])
            #expect((observer as? AskedObserver)?.payments.isEmpty != false)
            queue.remove(observer)
        }
    }

    @Test func `an app that begins to handle them is launched once more, and what is unfinished is not told twice`()
        async throws
    {
        let store = try FakePromotions()
        let streams = LockedValue<[FakeStream]>([])
        store.gateway.on(streamLine) { _ in
            let stream = FakeStream.beginning(with: [.sample("t1")])
            streams.withLock { $0.append(stream) }
            return .stream(stream)
        }
        let queue = store.gateway.queue()
        let plain = RecordingObserver()
        queue.add(plain)
        try await eventually("it is told") { plain.calls == [.updated([.purchased])] }
        let asked = AskedObserver { _, _ in false }
        queue.add(asked)
        try await eventually("it is launched again") { store.gateway.requests(streamLine).count == 2 }
        #expect(declared(store.gateway) == ["none", "delegate"])
        #expect(store.gateway.requests(streamLine).map(\.token) == ["token-1", "token-2"])
        store.tell(try .sample("i1"), on: streams.withLock { $0[1] })
        try await eventually("it is asked") { asked.payments.count == 1 }
        #expect(plain.calls == [.updated([.purchased])] && asked.states == [.purchased])
        // Without it, the app handles them no more.
        queue.remove(asked)
        try await eventually("it is launched again") { store.gateway.requests(streamLine).count == 3 }
        #expect(declared(store.gateway) == ["none", "delegate", "none"])
        #expect(queue.transactions.count == 1)
    }

    @Test func `M65, M74, M76, M78: true continues; the app is opened, then asked, then gets the purchase`()
        async throws
    {
        let store = try FakePromotions()
        let order = LockedValue<[String]>([])
        let queue = store.gateway.queue { connection, _ in
            connection.bringToFront = { order.withLock { $0.append("opened") } }
        }
        let observer = AskedObserver { _, _ in
            order.withLock { $0.append("asked") }
            return true
        }
        queue.add(observer)
        store.tap(try .sample("i1"))
        try await eventually("it is purchased") { observer.states.contains(.purchased) }
        #expect(order.withLock { $0 } == ["opened", "asked"])
        #expect(observer.states == [.purchasing, .purchased])
        #expect(Set(observer.transactions).count == 1)
        #expect(store.decisions() == ["continue"])
        let (payment, product) = (try #require(observer.payments.first), try #require(observer.products.first))
        #expect(payment.productIdentifier == product.productIdentifier)
        #expect(product.localizedTitle == "Title" && product.price.stringValue == "1.99")
        #expect(product.priceLocale.identifier == "en_US@currency=USD")
        #expect(store.gateway.requests("POST /v1/payments").isEmpty)
    }

    @Test(arguments: ["a connection that breaks", "an unknown outcome", "a store that is away"])
    func `I2: a decision whose answer is lost is sent again, and the app is not asked again`(fault: String) async throws
    {
        let store = try FakePromotions()
        let faults: [String: FakeAnswer] = [
            "a connection that breaks": .drop, "an unknown outcome": .problem(.outcomeUnknown),
            "a store that is away": .problem(.serviceUnavailable),
        ]
        let answer = try #require(faults[fault])
        let intent = try StorePurchaseIntent.sample("i1")
        store.gateway.on(decisionLine) { request in
            guard store.decisions().count > 3 else { return answer }
            return FakePromotions.decide(request, store.stream)
        }
        let queue = store.gateway.queue { _, timing in timing.retryTimeout = .seconds(30) }
        let observer = AskedObserver { _, _ in true }
        queue.add(observer)
        for _ in 0..<3 { store.tap(intent) }
        try await eventually("it is purchased") { observer.states.contains(.purchased) }
        #expect(store.decisions() == Array(repeating: "continue", count: 4))
        #expect(observer.payments.count == 1 && observer.states == [.purchasing, .purchased])
    }

    @Test func `a purchase that is pending when the connection breaks is asked about once`() async throws {
        let store = try FakePromotions()
        let intent = try StorePurchaseIntent.sample("i1")
        let launches = LockedValue(0)
        store.gateway.on(streamLine) { _ in
            let launch = launches.withLock { launches in
                launches += 1
                return launches
            }
            let stream = store.stream(beginningWith: [intent])
            if launch <= 5 { stream.end() }
            return .stream(stream)
        }
        store.gateway.on(decisionLine) { request in
            // Until the sixth stream has sent it too, the decision is unknown.
            launches.withLock { $0 } < 6 ? .drop : FakePromotions.decide(request, store.stream)
        }
        let queue = store.gateway.queue()
        let observer = AskedObserver { _, _ in false }
        queue.add(observer)
        try await eventually("the sixth stream is open") { launches.withLock { $0 } == 6 }
        try await eventually("the decision is answered") {
            queue.core.state.withLock { $0.intents.unansweredCount == 0 && $0.intents.isDecided("i1") }
        }
        #expect(observer.payments.count == 1)
        #expect(Set(store.decisions()) == ["defer"])
        // The next launch is asked once more, if it is pending still.
        queue.remove(observer)
        queue.add(observer)
        try await eventually("it is asked") { observer.payments.count == 2 }
    }

    @Test func `M79 to M82: a deferred payment is kept, added later and continues its purchase; a new one does not`()
        async throws
    {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        let observer = AskedObserver { _, _ in false }
        queue.add(observer)
        store.tap(try .sample("i1"))
        try await eventually("it is deferred") { store.decisions() == ["defer"] }
        #expect(observer.states.isEmpty)
        let saved = try #require(observer.payments.first)
        // A new payment looks the same and says nothing of the store's.
        let new = SKPayment(product: try #require(observer.products.first))
        #expect(saved == new && saved.hash == new.hash)
        queue.add(new)
        try await eventually("it is purchased") { observer.states == [.purchasing, .purchased] }
        queue.add(saved)
        try await eventually("the saved one, too") { observer.states.count == 4 }
        let bodies = store.gateway.requests("POST /v1/payments").map(\.json)
        #expect(bodies.map { $0["intentIdentifier"]?.stringValue } == [nil, "i1"])
        #expect(Set(bodies.map { $0["productIdentifier"]?.stringValue }) == ["com.example.hiddenBeaches"])
        #expect(store.decisions() == ["defer"])
    }

    @Test func `M81: the payment of a transaction is a new purchase when it is added again`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        let observer = AskedObserver { _, _ in false }
        queue.add(observer)
        var failed = PaymentTransaction.sample("t1", .failed)
        failed.payment.intentIdentifier = "i1"
        store.stream.updated([failed])
        try await eventually("it is told") { observer.states == [.failed] }
        queue.add(try #require(observer.transactions.first).payment)
        try await eventually("it is sent") { store.gateway.requests("POST /v1/payments").count == 1 }
        #expect(store.gateway.requests("POST /v1/payments")[0].json["intentIdentifier"] == nil)
    }

    @Test func `I3: a saved payment that was used is a failed transaction the second time`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        let observer = AskedObserver { _, _ in false }
        queue.add(observer)
        store.tap(try .sample("i1"))
        try await eventually("it is deferred") { store.decisions() == ["defer"] }
        store.gateway.on("POST /v1/payments") { _ in .problem(.intentDecided, "it was continued before") }
        queue.add(try #require(observer.payments.first))
        try await eventually("it has failed") { observer.states == [.purchasing, .failed] }
        let error = try #require(observer.transactions.last?.error as? SKError)
        #expect((error.underlying as? StoreProblem)?.code == "intentDecided")
    }

    @Test func `M84, M85: cancelled with feedback while it is asked, and once it is deferred`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        let observer = AskedObserver { queue, payment in
            queue.cancelStorePayment(payment, feedback: "You own it.")
            return false
        }
        queue.add(observer)
        store.tap(try .sample("i1"))
        try await eventually("it is cancelled") { store.decisions() == ["cancel"] }
        #expect(
            store.gateway.requests("POST /v1/intents/i1/decision")[0].json
                == .object(["decision": "cancel", "feedback": "You own it."]))
        queue.remove(observer)

        let later = AskedObserver { _, _ in false }
        let next = try FakePromotions()
        let other = next.gateway.queue()
        other.add(later)
        next.tap(try .sample("i2"))
        try await eventually("it is deferred") { next.decisions("i2") == ["defer"] }
        let outcomes = LockedValue<[SKError.Code?]>([])
        other.cancelStorePayment(try #require(later.payments.first)) { error in
            outcomes.withLock { $0.append((error as? SKError)?.code) }
        }
        try await eventually("it is cancelled") { outcomes.withLock { $0.count } == 1 }
        #expect(next.decisions("i2") == ["defer", "cancel"])
        #expect(outcomes.withLock { $0 } == [nil])
        next.gateway.on(decisionLine) { _ in .problem(.intentDecided) }
        other.cancelStorePayment(try #require(later.payments.first)) { error in
            outcomes.withLock { $0.append((error as? SKError)?.code) }
        }
        try await eventually("it is refused") { outcomes.withLock { $0 } == [nil, .unknown] }
    }

    @Test func `true that comes too late is a failed transaction, and nothing was charged`() async throws {
        let store = try FakePromotions()
        store.gateway.on(decisionLine) { _ in .problem(.intentExpired, "it has expired") }
        let queue = store.gateway.queue()
        let observer = AskedObserver { _, _ in true }
        queue.add(observer)
        store.tap(try .sample("i1"))
        try await eventually("it has failed") { observer.states == [.purchasing, .failed] }
        let failed = try #require(observer.transactions.last)
        #expect(((failed.error as? SKError)?.underlying as? StoreProblem)?.code == "intentExpired")
        queue.finishTransaction(failed)
        try await eventually("it is gone") { queue.transactions.isEmpty }
    }

    @Test func `after a relaunch the deferred purchases are fetched, and added as the saved payments were`()
        async throws
    {
        let store = try FakePromotions()
        let intents = try ["i1", "i2"].map { try StorePurchaseIntent.sample($0, .deferred) }
        store.gateway.on("GET /v1/intents") { _ in .json(["intents": intents]) }
        let queue = store.gateway.queue()
        let deferred = try await queue.deferredStorePayments()
        #expect(store.gateway.requests("GET /v1/intents").map(\.query) == ["state=deferred"])
        #expect(deferred.map(\.payment.productIdentifier) == deferred.map(\.product.productIdentifier))
        #expect(deferred.map(\.expirationDate) == intents.map(\.expiresAt.date))
        for deferred in deferred { queue.add(deferred.payment) }
        try await eventually("both are sent") { store.gateway.requests("POST /v1/payments").count == 2 }
        let added = store.gateway.requests("POST /v1/payments").map { $0.json["intentIdentifier"]?.stringValue }
        #expect(Set(added) == ["i1", "i2"])
        store.gateway.on("GET /v1/intents") { _ in .problem(.serviceUnavailable) }
        await #expect(throws: SKError.self) { try await queue.deferredStorePayments() }
    }

    @Test func `cancelling a payment of the app's own is a programming error`() async {
        await #expect(processExitsWith: .failure) {
            let connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            SKPaymentQueue(connection: connection).cancelStorePayment(
                SKPayment(PaymentFields(productIdentifier: "p")))
        }
    }
}
