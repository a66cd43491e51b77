import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

@Suite struct FinishTests {
    private struct Observed {
        let gateway: FakeGateway
        let queue: SKPaymentQueue
        let observer = RecordingObserver()
        let stream: FakeStream

        /// With these unfinished transactions told.
        init(
            _ unfinished: [PaymentTransaction], _ change: (inout StoreConnection) -> Void = { _ in }
        ) async throws {
            let stream = FakeStream.beginning(with: unfinished)
            let gateway = try FakeGateway()
            gateway.on("GET /v1/transactions/stream") { _ in .stream(stream) }
            (self.gateway, self.stream) = (gateway, stream)
            queue = gateway.queue { connection, _ in change(&connection) }
            queue.add(observer)
            let observer = observer
            try await eventually("they are told") { observer.transactions.count == unfinished.count }
        }
    }

    private static let line = "POST /v1/transactions/t1/finish"

    @Test(arguments: [TransactionState.purchased, .failed, .restored])
    func `M53, M56: purchased, failed and restored are finished and removed`(state: TransactionState) async throws {
        let shop = try await Observed([.sample("t1", state)])
        shop.gateway.on(Self.line) { _ in .json(PaymentTransaction.sample("t1", state)) }
        shop.queue.finishTransaction(try #require(shop.observer.transactions.first))
        try await eventually("it is removed") { shop.observer.calls.contains(.removed(1)) }
        #expect(shop.queue.transactions.isEmpty)
    }

    @Test func `M28, M53: finishing what is purchasing is a programming error`() async {
        await #expect(processExitsWith: .failure) {
            let connection = StoreConnection(
                gateway: URL(filePath: "/"), bundleId: "b", deviceId: "d", account: "a")
            let queued = QueuedTransaction(identity: "t", model: .sample("t", .purchasing), isLocal: false)
            SKPaymentQueue(connection: connection).finishTransaction(SKPaymentTransaction(queued, downloads: []))
        }
    }

    @Test func `M53: finishing what is deferred does nothing, is warned of, and the approval comes`() async throws {
        let warnings = LockedValue<[String]>([])
        let shop = try await Observed([.sample("t1", .deferred)]) { connection in
            connection.log = { line in warnings.withLock { $0.append(line) } }
        }
        shop.queue.finishTransaction(try #require(shop.observer.transactions.first))
        #expect(warnings.withLock { $0 }.contains { $0.contains("a deferred transaction is not finished") })
        shop.stream.updated([.sample("t1", .purchased, revision: 3)])
        try await eventually("it is purchased") { shop.observer.states == [.deferred, .purchased] }
        #expect(shop.gateway.requests(Self.line).isEmpty)
        #expect(shop.queue.transactions.map(\.transactionState) == [.purchased])
    }

    @Test func `finishing what the store did not make does nothing`() async throws {
        let shop = try await Observed([.sample("t1")])
        shop.queue.finishTransaction(SKPaymentTransaction())
        #expect(shop.queue.transactions.count == 1)
    }

    @Test func `M54: twice is once, and the stream's own word for it is not told again`() async throws {
        let shop = try await Observed([.sample("t1")])
        shop.gateway.on(Self.line) { _ in .json(PaymentTransaction.sample("t1")) }
        let transaction = try #require(shop.observer.transactions.first)
        shop.queue.finishTransaction(transaction)
        shop.queue.finishTransaction(transaction)
        try await eventually("it is removed") { shop.observer.calls.contains(.removed(1)) }
        shop.queue.finishTransaction(transaction)
        shop.stream.removed([.sample("t1")])
        shop.stream.updated([.sample("t2")])
        try await eventually("the next one is told") { shop.observer.calls.last == .updated([.purchased]) }
        #expect(shop.observer.calls == [.updated([.purchased]), .removed(1), .updated([.purchased])])
        #expect(shop.gateway.requests(Self.line).count == 1)
    }

    @Test func `a finish is repeated until the store has answered`() async throws {
        let shop = try await Observed([.sample("t1")])
        shop.gateway.on(
            Self.line, [.drop, .problem(.serviceUnavailable), .problem(.outcomeUnknown), .json([String: String]())])
        shop.queue.finishTransaction(try #require(shop.observer.transactions.first))
        try await eventually("it is removed") { shop.observer.calls.contains(.removed(1)) }
        #expect(shop.gateway.requests(Self.line).count == 4)
    }

    @Test func `what an operator has cleared away is removed`() async throws {
        let shop = try await Observed([.sample("t1")])
        shop.gateway.on(Self.line) { _ in .problem(.notFound) }
        shop.queue.finishTransaction(try #require(shop.observer.transactions.first))
        try await eventually("it is removed") { shop.observer.calls.contains(.removed(1)) }
    }

    @Test func `what another device has finished is removed, also when only a new stream shows it`() async throws {
        let shop = try await Observed([.sample("t1"), .sample("t2"), .sample("t3")])
        shop.stream.removed([.sample("t1")])
        try await eventually("the first is removed") { shop.observer.calls.count == 2 }
        shop.gateway.on("GET /v1/transactions/stream") { _ in .stream(.beginning(with: [.sample("t3")])) }
        shop.stream.cut()
        try await eventually("the second is removed") { shop.observer.calls.count == 3 }
        #expect(shop.observer.calls == [.updated([.purchased, .purchased, .purchased]), .removed(1), .removed(1)])
        #expect(shop.queue.transactions.count == 1)
    }
}
