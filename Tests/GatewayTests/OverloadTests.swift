import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import GatewayEdge

/// What an overloaded gateway refuses, and how (ADR 0039).
@Suite struct OverloadTests {
    @Test func `queries are refused first, then purchases, completions last`() {
        var permits = RequestLimiter(count: 8)
        let order: [(Urgency, Bool)] = [
            (.query, true), (.query, true), (.query, true), (.query, true), (.query, false), (.purchase, true),
            (.purchase, true), (.purchase, false), (.completion, true), (.query, false), (.completion, true),
            (.completion, false), (.unlimited, true),
        ]
        for (urgency, isTaken) in order {
            let result = permits.acquire(urgency)
            #expect(result == isTaken, "\(urgency) with \(permits.taken) places taken")
        }
        for _ in 0..<3 { permits.release() }
        #expect(permits.taken == 6)
        let (purchase, completion) = (permits.acquire(.purchase), permits.acquire(.completion))
        #expect(!purchase && completion)
    }

    @Test func `every mixture of urgencies stays within the places and gives all of them back`() {
        var random = SplitMix64.seeded()
        var permits = RequestLimiter(count: 16)
        let urgencies: [Urgency] = [.query, .purchase, .completion]
        for _ in 0..<10_000 {
            let taken = permits.taken
            let urgency = urgencies[Int.random(in: 0..<3, using: &random)]
            if Bool.random(using: &random), taken > 0 {
                permits.release()
                continue
            }
            // What is taken for one urgency is taken for every higher one as well.
            let higher = urgencies.suffix(from: urgencies.firstIndex(of: urgency) ?? 0)
            if permits.acquire(urgency) {
                for other in higher {
                    var same = permits
                    same.release()
                    let result = same.acquire(other)
                    #expect(result)
                }
            }
            #expect(permits.taken <= 16)
        }
        while permits.taken > 0 { permits.release() }
        let query = permits.acquire(.query)
        #expect(query)
    }

    @Test func `urgency and body of a target are those of its route`() {
        let table = RouteTraits(StoreRoutes.all)
        for route in StoreRoutes.all {
            let target = route.target(Dictionary(uniqueKeysWithValues: route.path.parameters.map { ($0, "a%2Fb") }))
            let traits = RouteTraits.Traits(urgency: route.urgency, body: route.body)
            #expect(table.traits(route.method.rawValue, target) == traits, "\(route.method) \(target)")
            #expect(table.traits(route.method.rawValue, target + "?limit=1") == traits)
        }
        let others = [
            ("GET", "/v1/payments"), ("POST", "/v1/payments/"), ("POST", "/v1/transactions//finish"),
            ("POST", "v1/payments"), ("POST", ""),
        ]
        for (method, target) in others { #expect(table.traits(method, target) == RouteTraits.Traits(), "\(target)") }
    }

    @Test func `finish and restore are the only completions`() {
        let completions = StoreRoutes.all.filter { $0.urgency == .completion }.map(\.path.description)
        #expect(
            Set(completions) == [
                "/v1/transactions/{id}/finish", "/inApps/v1/transactions/{transactionId}/finish", "/v1/restore",
            ])
        #expect(PaymentRoutes.add.route.urgency == .purchase)
        #expect(TransactionRoutes.history.route.urgency == .query)
    }

    @Test func `refusals are logged at once, then every ten seconds`() {
        var log = RefusalLog()
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        let refusals: [(Urgency, TimeAmount)] = [
            (.query, .zero), (.query, .seconds(1)), (.purchase, .milliseconds(9_999)), (.query, .seconds(10)),
            (.query, .seconds(11)),
        ]
        let lines = refusals.map { log.record($0, now: start + $1) }
        #expect(lines == [[.query: 1], nil, nil, [.query: 2, .purchase: 1], nil])
    }

    @Test func `refused connections take turns, three thousand a second, and wait two seconds at most`() {
        var pace = RefusalPace()
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        let pauses = (1...10_000).map { _ in pace.pause(now: start) }
        #expect(pauses[0] == .nanoseconds(333_333))
        #expect(pauses[2_999] == .nanoseconds(999_999_000))
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(pauses[9_999] == .seconds(2))
        // The pauses that are over count no more.
        #expect(pace.pause(now: start + .seconds(3)) == .nanoseconds(333_333))
    }

    @Test func `a refused connection is told when to come again, and is not read before`() throws {
        let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
        let admission = Admission(StoreRoutes.all, permits: 0, now: { start }, logger: InMemoryGateway.logger)
        let loop = EmbeddedEventLoop()
        let reads = ReadCount()
        let gate = SocketGate()
        let channel = EmbeddedChannel(
            handlers: [reads, HTTPResponseEncoder(), gate, ConnectionHandler(admission, gate)], loop: loop)
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        let parser = try channel.pipeline.syncOperations.context(handler: gate)
        func refusal() throws -> String {
            let head = HTTPRequestHead(
                version: .http1_1, method: .GET, uri: "/v1/history", headers: ["Host": "a"])
            parser.fireChannelRead(NIOAny(HTTPServerRequestPart.head(head)))
            parser.fireChannelRead(NIOAny(HTTPServerRequestPart.end(nil)))
            return try String(buffer: #require(try channel.readOutbound(as: ByteBuffer.self)))
        }
        // A few refusals pause nothing.
        #expect(try refusal().contains("\r\nRetry-After: 1\r\n"))
        channel.read()
        #expect(reads.count == 1)
        // Others have taken the turns of a second and a half.
        for _ in 0..<4_500 { _ = admission.decide(.completion, now: start) }
        let text = try refusal()
        #expect(text.contains("\r\nRetry-After: 2\r\n") && text.contains("\"retryAfterMs\":2000"), "\(text)")
        channel.read()
        channel.read()
        #expect(reads.count == 1)
        loop.advanceTime(by: .milliseconds(1_499))
        #expect(reads.count == 1)
        loop.advanceTime(by: .milliseconds(2))
        #expect(reads.count == 2)
        channel.read()
        #expect(reads.count == 3)
    }

    /// Counts what reaches the socket of reads.
    private final class ReadCount: ChannelOutboundHandler {
        typealias OutboundIn = Never

        var count = 0

        func read(context: ChannelHandlerContext) { count += 1 }
    }

    @Test func `the time of a request runs from its arrival, which a client cannot set`() {
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["sb-arrival": "1"])
        let arrived = NIODeadline.uptimeNanoseconds(5_000_000_000)
        Arrival.stamp(&head, arrived, isWhole: true)
        #expect(head.headers["Sb-Arrival"] == ["5000000000w"])
        var fields = HTTPFields()
        fields[HTTPField.Name("Sb-Arrival")!] = head.headers.first(name: "Sb-Arrival")
        let clock = ContinuousClock.now
        #expect(Arrival.time(fields, now: arrived + .milliseconds(300), clock: clock) == clock - .milliseconds(300))
        #expect(Arrival.time(fields, now: arrived - .milliseconds(1), clock: clock) == clock)
        #expect(Arrival.time([:], now: arrived, clock: clock) == clock)
    }

    @Test func `what begins after its time is refused and not done`() async throws {
        let late: @Sendable (Gateway) -> Admission = {
            Admission($0.routes.map(\.operation), now: { .now() - .seconds(10) }, logger: $0.parts.logger)
        }
        try await GatewayHarness.run(admission: late) { store in
            let token = try await store.session()
            let subjects = store.subjects.all.count
            let answer = try await store.send(
                .GET, "/v1/transactions", token: token, headers: [("Sb-Timeout", "5000")])
            #expect(answer.status == 503)
            #expect(answer.json["code"] == "serviceUnavailable")
            #expect(answer.headers["Retry-After"] == ["1"])
            #expect(store.subjects.all.count == subjects)
            #expect(try await store.send(.GET, "/v1/transactions", token: token).status == 200)
        }
    }

    @Test func `a gateway with few places left still completes, and takes everything again afterwards`() async throws {
        let admission = Admission(StoreRoutes.all, permits: 8, logger: InMemoryGateway.logger)
        try await GatewayHarness.run(admission: { _ in admission }) { store in
            let token = try await store.session()
            let finish = "/v1/transactions/none/finish"
            for _ in 0..<4 { #expect(take(admission, .purchase)) }
            #expect(try await status(store, .GET, "/v1/history", token) == 503)
            #expect(try await status(store, .POST, "/v1/payments", token) == 400)
            #expect(try await status(store, .POST, finish, token) == 404)
            for _ in 0..<2 { #expect(take(admission, .purchase)) }
            #expect(try await status(store, .POST, "/v1/payments", token) == 503)
            #expect(try await status(store, .POST, finish, token) == 404)
            for _ in 0..<2 { #expect(take(admission, .completion)) }
            #expect(try await status(store, .POST, finish, token) == 503)
            #expect(try await status(store, .GET, "/healthz", token) == 200)
            let answer = try await store.send(.GET, "/v1/history", token: token)
            #expect(answer.headers["Retry-After"] == ["1"])
            #expect(answer.headers["Content-Type"] == ["application/problem+json"])
            #expect(answer.json["code"] == "serviceUnavailable")
            #expect(answer.json["retryable"] == true)
            #expect(answer.json["traceId"]?.stringValue?.utf8.count == 32)
            for _ in 0..<8 { admission.release() }
            #expect(try await status(store, .GET, "/v1/history", token) == 200)
        }
    }

    @Test func `the body of a refused request is dropped, and its connection goes on`() async throws {
        let none: @Sendable (Gateway) -> Admission = {
            Admission($0.routes.map(\.operation), permits: 0, logger: $0.parts.logger)
        }
        try await GatewayHarness.run(admission: none) { store in
            let text = try await RawConnection.exchange(
                store,
                "POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 31\r\n\r\nGET /metrics HTTP/1.1\r\nHost:a\r\n"
                    + "HEAD /v1/history HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let statuses = text.matches(of: /HTTP\/1.1 (\d+)/).map { String($0.1) }
            #expect(statuses == ["503", "503", "200"], "\(text)")
            #expect(text.matches(of: /"code":"serviceUnavailable"/).count == 1)
        }
    }

    @Test func `a pipelined request takes a place when its turn comes, and is refused like any other`() async throws {
        let only: @Sendable (Gateway) -> Admission = {
            Admission($0.routes.map(\.operation), permits: 2, logger: $0.parts.logger)
        }
        try await GatewayHarness.run(admission: only) { store in
            let request = "GET /v1/nothing HTTP/1.1\r\nHost: a\r\n"
            let last = request + "Connection: close\r\n\r\n"
            let text = try await RawConnection.exchange(store, request + "\r\n" + request + "\r\n" + last)
            #expect(text.matches(of: /HTTP\/1.1 404/).count == 3, "\(text)")
        }
        let none: @Sendable (Gateway) -> Admission = {
            Admission($0.routes.map(\.operation), permits: 0, logger: $0.parts.logger)
        }
        try await GatewayHarness.run(admission: none) { store in
            let text = try await RawConnection.exchange(
                store,
                "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/nothing HTTP/1.1\r\nHost: a\r\n"
                    + "Connection: close\r\n\r\n")
            #expect(text.matches(of: /HTTP\/1.1 (200|503)/).map { String($0.1) } == ["200", "503"], "\(text)")
        }
    }

    /// Whether a request gets a place.
    private func take(_ admission: Admission, _ urgency: Urgency) -> Bool {
        admission.decide(urgency, now: .now()) == .admitted(hasPermit: true)
    }

    private func status(
        _ store: GatewayHarness, _ method: NIOHTTP1.HTTPMethod, _ path: String, _ token: String
    ) async throws -> Int {
        try await store.send(method, path, token: token).status
    }
}
