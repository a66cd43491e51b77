import Dispatch
import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

/// Goal: an observer gets everything, once, in order, for as long as it is registered.
@Suite struct ObserverTests {
    private let streamLine = "GET /v1/transactions/stream"

    @Test func `M17, M50: what is unfinished comes without asking, and again with each registration`() async throws {
        let gateway = try FakeGateway()
        gateway.on(streamLine) { _ in .stream(.beginning(with: [.sample("t1"), .sample("t2", .failed)])) }
        let queue = gateway.queue()
        let observer = RecordingObserver()
        for launch in 1...3 {
            queue.add(observer)
            try await eventually("launch \(launch) is told") { observer.calls.count == launch }
            queue.remove(observer)
        }
        #expect(observer.calls == Array(repeating: .updated([.purchased, .failed]), count: 3))
    }

    @Test func `M21: a connection that breaks ten times brings nothing twice and loses nothing`() async throws {
        let gateway = try FakeGateway()
        let launches = LockedValue(0)
        gateway.on(streamLine) { _ in
            let launch = launches.withLock { launches in
                launches += 1
                return launches
            }
            let stream = FakeStream.beginning(with: (1...launch).map { .sample("t\($0)", revision: 2) })
            if launch <= 10 { if launch.isMultiple(of: 2) { stream.cut() } else { stream.end() } }
            return .stream(stream)
        }
        let queue = gateway.queue()
        let observer = RecordingObserver()
        queue.add(observer)
        try await eventually("the eleventh stream has been read") { observer.transactions.count >= 11 }
        #expect(observer.transactions.count == 11)
        #expect(Set(observer.transactions).count == 11)
        queue.remove(observer)
    }

    @Test func `M20: removing the observer ends callbacks and closes the stream`() async throws {
        let shop = try ObservedQueue()
        shop.stream.updated([.sample("t1")])
        try await eventually("the first is told") { shop.observer.calls.count == 1 }
        shop.queue.remove(shop.observer)
        shop.stream.updated([.sample("t2")])
        try await eventually("the stream is closed") { shop.stream.isClosed }
        // What comes later comes at the next registration.
        shop.gateway.on(streamLine) { _ in .stream(.beginning(with: [.sample("t2")])) }
        let next = RecordingObserver()
        shop.queue.add(next)
        try await eventually("the next one is told") { next.calls.count == 1 }
        #expect(shop.observer.calls.count == 1)
        #expect(shop.queue.transactionObservers.map { ObjectIdentifier($0) } == [ObjectIdentifier(next)])
    }

    @Test func `a stream without observers is not said to be opened again`() async throws {
        let gateway = try FakeGateway()
        let lines = LockedValue<[String]>([])
        let queue = gateway.queue { connection, _ in
            connection.log = { line in lines.withLock { $0.append(line) } }
        }
        for round in 1...5 {
            let stream = FakeStream.beginning(with: [.sample("t\(round)")])
            gateway.on(streamLine) { _ in .stream(stream) }
            let observer = RecordingObserver()
            queue.add(observer)
            try await eventually("it is told") { observer.calls.count == 1 }
            queue.remove(observer)
            try await eventually("the stream is closed") { stream.isClosed }
        }
        #expect(lines.withLock { $0.filter { $0.contains("opened again") } } == [])
    }

    @Test func `an observer is not retained, and without the last one the stream is closed`() async throws {
        let gateway = try FakeGateway()
        let stream = FakeStream.beginning()
        gateway.on(streamLine) { _ in .stream(stream) }
        let queue = gateway.queue()
        weak var gone: RecordingObserver?
        do {
            let observer = RecordingObserver()
            gone = observer
            queue.add(observer)
            stream.updated([.sample("t1")])
            try await eventually("it is told") { observer.calls.count == 1 }
        }
        try await eventually("it is gone") { gone == nil }
        stream.updated([.sample("t2")])
        try await eventually("the stream is closed") { stream.isClosed }
        #expect(queue.transactions.isEmpty)
    }

    @Test func `an observer may remove itself as it goes`() async throws {
        final class Leaving: NSObject, SKPaymentTransactionObserver, Sendable {
            let queue: SKPaymentQueue
            init(_ queue: SKPaymentQueue) { self.queue = queue }
            deinit { queue.remove(self) }
            func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}
        }
        let gateway = try FakeGateway()
        let stream = FakeStream.beginning(with: (0..<50).map { .sample("t\($0)") })
        gateway.on(streamLine) { _ in .stream(stream) }
        let queue = gateway.queue()
        for _ in 0..<50 {
            let observer = Leaving(queue)
            queue.add(observer)
            stream.updated([.sample("more")])
        }
        try await eventually("all are gone") { queue.transactionObservers.isEmpty }
    }

    @Test func `a second observer gets what is there, then both what comes`() async throws {
        let gateway = try FakeGateway()
        let stream = FakeStream.beginning(with: [.sample("t1")])
        gateway.on(streamLine) { _ in .stream(stream) }
        let queue = gateway.queue()
        let (first, second) = (RecordingObserver(), RecordingObserver())
        queue.add(first)
        try await eventually("the first is told") { first.calls.count == 1 }
        queue.add(second)
        queue.add(second)
        stream.updated([.sample("t2", .deferred)])
        try await eventually("both are told") { first.calls.count == 2 && second.calls.count == 2 }
        #expect(first.calls == [.updated([.purchased]), .updated([.deferred])])
        #expect(second.calls == first.calls)
        #expect(gateway.requests(streamLine).count == 1)
    }

    @Test func `M35: callbacks come off the main thread, one at a time, without a run loop`() async throws {
        final class Checking: NSObject, SKPaymentTransactionObserver, Sendable {
            let inside = LockedValue(0)
            let seen = LockedValue<[Bool]>([])
            func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
                let isAlone = inside.withLock { inside in
                    inside += 1
                    return inside == 1
                }
                seen.withLock { $0.append(isAlone && !Thread.isMainThread) }
                inside.withLock { $0 -= 1 }
            }
        }
        let gateway = try FakeGateway()
        let stream = FakeStream.beginning()
        gateway.on(streamLine) { _ in .stream(stream) }
        // Even when the app's own queue is not serial.
        let queue = gateway.queue { connection, _ in
            connection.callbackTarget = DispatchQueue(label: "app", attributes: .concurrent)
        }
        let observer = Checking()
        queue.add(observer)
        for number in 0..<100 { stream.updated([.sample("t\(number)")]) }
        try await eventually("all are told") { observer.seen.withLock { $0.count } == 101 - 1 }
        #expect(observer.seen.withLock { $0.allSatisfy { $0 } })
    }

    @Test func `a slow observer slows the reading and gets everything`() async throws {
        final class Slow: NSObject, SKPaymentTransactionObserver, Sendable {
            let gate = DispatchSemaphore(value: 0)
            let count = LockedValue(0)
            func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
                if count.withLock({ $0 }) == 0 { gate.wait() }
                count.withLock { $0 += transactions.count }
            }
        }
        let gateway = try FakeGateway()
        let stream = FakeStream.beginning()
        gateway.on(streamLine) { _ in .stream(stream) }
        let queue = gateway.queue()
        let observer = Slow()
        queue.add(observer)
        let total = ClientLimits.callbacksMax + 200
        for number in 0..<total { stream.updated([.sample("t\(number)")]) }
        try await eventually("reading has stopped at the bound") {
            queue.core.state.withLock { $0.callbackCount == ClientLimits.callbacksMax && !$0.waiting.isEmpty }
        }
        #expect(queue.transactions.count == ClientLimits.callbacksMax)
        observer.gate.signal()
        try await eventually("all are told") { observer.count.withLock { $0 } == total }
    }

    @Test func `a storefront's change and a revocation are reported`() async throws {
        let shop = try ObservedQueue()
        let storefront = ["storefront": ["countryCode": "FRA", "identifier": "143442"]]
        shop.stream.send("didChangeStorefront", storefront)
        shop.stream.send("didRevokeEntitlementsForProductIdentifiers", ["productIdentifiers": ["a", "b"]])
        try await eventually("both are told") { shop.observer.calls.count == 2 }
        #expect(shop.observer.calls == [.storefrontChanged, .revoked(["a", "b"])])
        #expect(shop.queue.storefront?.countryCode == "FRA" && shop.queue.storefront?.identifier == "143442")
    }

    @Test func `a stream the store refuses for its token is opened with a new session`() async throws {
        let gateway = try FakeGateway()
        gateway.on(streamLine) { request in
            request.token == "token-1" ? .problem(.unauthenticated) : .stream(.beginning(with: [.sample("t1")]))
        }
        let queue = gateway.queue()
        let observer = RecordingObserver()
        queue.add(observer)
        try await eventually("it is told") { observer.calls.count == 1 }
        #expect(gateway.requests("POST /v1/sessions").count == 2)
    }

    @Test func `a newer launch elsewhere ends the stream; registering anew is a launch that takes over`() async throws {
        let shop = try ObservedQueue()
        shop.stream.updated([.sample("t1")])
        shop.stream.send("superseded", ["seq": 1])
        try await eventually("the stream is closed") { shop.stream.isClosed && shop.observer.calls.count == 1 }
        shop.gateway.on(streamLine) { _ in .stream(.beginning(with: [.sample("t1"), .sample("t2")])) }
        shop.queue.remove(shop.observer)
        shop.queue.add(shop.observer)
        try await eventually("the next launch is told") { shop.observer.calls.count == 2 }
        #expect(shop.gateway.requests(streamLine).map(\.token) == ["token-1", "token-2"])
        #expect(shop.observer.calls.last == .updated([.purchased, .purchased]))
    }

    @Test func `a queue that is let go closes its stream and leaves nothing`() async throws {
        let gateway = try FakeGateway()
        let stream = FakeStream.beginning()
        gateway.on(streamLine) { _ in .stream(stream) }
        let observer = RecordingObserver()
        weak var core: QueueCore?
        do {
            let queue = gateway.queue()
            core = queue.core
            queue.add(observer)
            stream.updated([.sample("t1")])
            try await eventually("it is told") { observer.calls.count == 1 }
        }
        try await eventually("the stream is closed") { stream.isClosed }
        try await eventually("the queue is gone") { core == nil }
    }
}
