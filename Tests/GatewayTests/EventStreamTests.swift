import BusClient
import EventLoop
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import OperatorAPI

/// The operator's live stream, at a gateway.
@Suite struct EventStreamTests {
    private let path = "/admin/v1/events/stream"

    /// The next event's identifiers.
    private func ids(_ event: EventReader.Event) -> [String] {
        (event.json["events"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    }

    @Test func `it says where it begins, and then everything that happens`() async throws {
        try await GatewayHarness.run { store in
            store.payments.happen(.purchased)
            let reader = try await store.eventStream()
            #expect(reader.status == 200)
            #expect(reader.headers["content-type"] == "text/event-stream")
            let hello = try await reader.next()
            #expect(hello.name == "hello")
            #expect(hello.id == "1.0")
            #expect(hello.json["version"]?.stringValue == StorebusVersion.number)
            #expect(hello.json["now"]?.stringValue.flatMap { Timestamp($0) } != nil)
            store.payments.happen(.failed)
            let event = try await reader.next()
            #expect(event.name == "transactions")
            #expect(event.id == "2.0")
            #expect(ids(event) == ["2"])
            #expect(event.json["events"]?.arrayValue?.first?["type"] == "failed")
            store.promotions.happen(.intentStarted)
            let intent = try await reader.next()
            #expect(intent.name == "intents")
            #expect(intent.id == "2.1")
            #expect(ids(intent) == ["1"])
        }
    }

    @Test func `a lost hint costs a second`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await store.eventStream()
            _ = try await reader.next()
            store.payments.happen(.purchased, hinted: false)
            #expect(ids(try await reader.next()) == ["1"])
        }
    }

    @Test func `a stream that was cut resumes without a gap, and the header wins over the query`() async throws {
        try await GatewayHarness.run { store in
            let first = try await store.eventStream()
            _ = try await first.next()
            store.payments.happen(.purchasing)
            let last = try await first.next().id
            first.hangUp()
            for _ in 0..<250 { store.payments.happen(.purchased, hinted: false) }
            store.promotions.happen(.intentStarted)
            let second = try await store.eventStream(
                query: "?after=0.0", headers: [("Last-Event-ID", try #require(last))])
            let hello = try await second.next()
            #expect(hello.id == last)
            var transactions: [String] = []
            var intents: [String] = []
            while transactions.count < 250 || intents.isEmpty {
                let event = try await second.next()
                if event.name == "transactions" { transactions += ids(event) } else { intents += ids(event) }
            }
            #expect(transactions == (2...251).map { "\($0)" })
            #expect(intents == ["1"])
            let byQuery = try await store.eventStream(query: "?after=249.1")
            _ = try await byQuery.next()
            #expect(ids(try await byQuery.next()) == ["250", "251"])
        }
    }

    @Test func `the last events come with the position from which streams and waits go on`() async throws {
        try await GatewayHarness.run { store in
            for _ in 0..<3 { store.payments.happen(.purchased) }
            store.promotions.happen(.intentStarted)
            let path = "/admin/v1/events/last"
            let answer = try await store.send(
                .GET, "\(path)?limit=2&account=alice&bundleId=com.example.app", token: Sample.adminKey)
            #expect(answer.status == 200)
            #expect(answer.json["events"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["2", "3"])
            #expect(answer.json["after"] == "3.1")
            #expect(
                store.payments.contents.withLock { $0.lastEventsRequests } == [
                    LastEventsRequest(account: "alice", bundleId: Sample.bundleId, limit: 2)
                ])
            store.payments.happen(.failed)
            store.promotions.happen(.intentCancelled)
            let reader = try await store.eventStream(query: "?after=3.1")
            #expect(try await reader.next().id == "3.1")
            for _ in 0..<2 {
                let event = try await reader.next()
                #expect(ids(event) == [event.name == "intents" ? "2" : "4"])
            }
            for (type, id) in [("failed", "4"), ("intentCancelled", "2")] {
                let waited = try await store.send(
                    .GET, "/admin/v1/events/wait?after=3.1&type=\(type)", token: Sample.adminKey)
                #expect(waited.json["events"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == [id])
            }
            for query in ["limit=0", "limit=501", "account=", "bundleId=a%20b", "type=purchased", "after=3.1"] {
                #expect(try await store.send(.GET, "\(path)?\(query)", token: Sample.adminKey).status == 400)
            }
        }
    }

    @Test func `while PromotionController is away the last events come, and a stream behind them is a resync`()
        async throws
    {
        try await GatewayHarness.run { store in
            store.payments.happen(.purchased)
            store.promotions.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            let answer = try await store.send(.GET, "/admin/v1/events/last", token: Sample.adminKey)
            #expect(answer.json["events"]?.arrayValue?.count == 1)
            #expect(answer.json["after"] == "1.")
            store.promotions.contents.withLock { $0.failure = nil }
            let reader = try await store.eventStream(query: "?after=1.")
            #expect(try await reader.next().name == "hello")
            #expect(try await reader.next().name == "resync")
            let wait = "/admin/v1/events/wait?after=1.&timeout=0&type="
            #expect(try await store.send(.GET, wait + "purchased", token: Sample.adminKey).json["after"] == "1")
            let refused = try await store.send(.GET, wait + "intentStarted", token: Sample.adminKey)
            #expect(refused.code == "requestInvalid")
            #expect(refused.text.contains("no position among the events of intents"))
        }
    }

    @Test func `a position that the store does not have is a resync`() async throws {
        try await GatewayHarness.run { store in
            store.payments.happen(.purchased)
            for cursor in ["nonsense", "99.0"] {
                let reader = try await store.eventStream(query: "?after=\(cursor)")
                #expect(try await reader.next().name == "hello")
                let resync = try await reader.next()
                #expect(resync.name == "resync")
                #expect(resync.id == "1.0")
            }
            #expect(try await store.send(.GET, "\(path)?after=", token: Sample.adminKey).status == 400)
            #expect(try await store.send(.GET, "\(path)?type=x", token: Sample.adminKey).status == 400)
        }
    }

    @Test func `PaymentQueue may be away: the stream says so, stays, and misses nothing`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await store.eventStream()
            _ = try await reader.next()
            store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            var comment = try await reader.any()
            while comment.text != "away payment-queue" { comment = try await reader.any() }
            store.promotions.happen(.intentStarted)
            #expect(try await reader.next().name == "intents", "the other log goes on")
            store.payments.happen(.purchased)
            store.payments.contents.withLock { $0.failure = nil }
            #expect(ids(try await reader.next()) == ["1"])
        }
    }

    @Test func `without a bus it opens, and goes on when the bus is back`() async throws {
        try await GatewayHarness.run { store in
            store.gatewayClient.disconnect()
            let reader = try await store.eventStream()
            #expect(try await reader.any().name == "hello")
            #expect(try await reader.any().text == "away payment-queue promotion-controller")
            store.gatewayClient.reconnect()
            #expect(try await reader.next().name == "resync")
            store.payments.happen(.purchased)
            var event = try await reader.next()
            if event.name == "resync" { event = try await reader.next() }
            #expect(ids(event) == ["1"])
        }
    }

    @Test func `the console's cookie opens it, and its end ends the stream`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(
                .POST, "/console/session", body: #"{"key":"\#(Sample.adminKey)"}"#)
            let cookie = String(try #require(answer.headers["Set-Cookie"].first).prefix { $0 != ";" })
            let reader = try await store.eventStream(token: nil, headers: [("Cookie", cookie)])
            #expect(try await reader.next().name == "hello")
            store.moveClock(to: .wallClock() + .seconds(13 * 3600))
            #expect(await reader.ended())
        }
    }

    @Test func `a client that hangs up leaves nothing behind`() async throws {
        try await GatewayHarness.run { store in
            let before = store.bus.subscriptionCount
            let reader = try await store.eventStream()
            _ = try await reader.next()
            #expect(store.bus.subscriptionCount == before + 2)
            #expect(store.gateway.operators.eventWaits.count(.stream) == 1)
            reader.hangUp()
            try await eventually("the stream is gone") {
                store.gateway.operators.eventWaits.count(.stream) == 0 && store.bus.subscriptionCount == before
            }
        }
    }

    @Test func `while a client does not read nothing more is read for it`() async throws {
        let client = StalledClient()
        let reads = ElementRecorder<EventFeed.Log>()
        let waits = EventWaits()
        let alarm = try EventAlarm(waits)
        let sending = Task {
            var sender = EventFeedSender(
                feed: EventFeed(after: "e0.i0", now: .now), alarm: alarm,
                read: { log, _ in
                    reads.append(log)
                    return .page(after: "\(log)1", body: Array("{}".utf8))
                }, state: { EventStreamState(version: "1", now: .wallClock()) })
            var writer: any ResponseBodyWriter = client
            try await sender.run(&writer)
        }
        await client.isWriting()
        alarm.notify([.transactions, .intents])
        client.close()
        await #expect(throws: StalledClient.Closed.self) { try await sending.value }
        #expect(reads.all.count == 2)
    }

    @Test func `an idle stream reads each log once a second`() async throws {
        try await GatewayHarness.run { store in
            let start = ContinuousClock.now
            let reader = try await store.eventStream()
            _ = try await reader.next()
            try await eventually("three reads") { store.payments.looks >= 3 }
            #expect(ContinuousClock.now - start >= .seconds(2))
        }
    }

    @Test func `a gateway that stops ends the stream, and admits none`() async throws {
        try await GatewayHarness.run { store in
            let reader = try await store.eventStream()
            _ = try await reader.next()
            store.gateway.operators.eventWaits.stop()
            #expect(await reader.ended())
            #expect(try await store.send(.GET, path, token: Sample.adminKey).status == 503)
        }
    }

    @Test func `sixty-four streams and no more, besides the requests that wait`() async throws {
        try await GatewayHarness.run { store in
            let waits = store.gateway.operators.eventWaits
            let signals = try (0..<EventWaits.streamsMax).map { _ in try waits.enter(.stream) }
            let answer = try await store.send(.GET, path, token: Sample.adminKey)
            #expect(answer.status == 429)
            #expect(answer.code == "rateLimited")
            _ = try waits.enter(.request)
            signals.forEach(waits.leave)
            #expect(try await store.eventStream().status == 200)
        }
    }
}

/// A client that takes nothing until its connection is closed.
private final class StalledClient: ResponseBodyWriter, Sendable {
    struct Closed: Error {}

    private let closed = AsyncStream.makeStream(of: Void.self)
    private let writing = AsyncStream.makeStream(of: Void.self)
    func isWriting() async { _ = await writing.stream.first { _ in true } }

    func close() { closed.continuation.finish() }

    func write(_ buffer: ByteBuffer) async throws {
        writing.continuation.yield()
        for await _ in closed.stream {}
        throw Closed()
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

extension GatewayHarness {
    /// Opens the operator's stream.
    fileprivate func eventStream(
        query: String = "", token: String? = Sample.adminKey, headers: [(String, String)] = []
    ) async throws -> EventReader {
        try await open("/admin/v1/events/stream\(query)", token, headers)
    }
}
