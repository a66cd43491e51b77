import BusClient
import BusProtocol
import EventLoop
import StorebusTesting
import Synchronization
import Testing

extension ConformanceTests {
    /// Follows a client's states until one comes.
    private func reach(
        _ iterator: inout AsyncStream<BusConnectionState>.Iterator, isolation: isolated (any Actor)? = #isolation,
        _ isIt: (BusConnectionState) -> Bool
    ) async {
        while let state = await iterator.next(isolation: isolation) {
            if isIt(state) { return }
        }
        Issue.record("the client ended")
    }

    private func isLoss(_ state: BusConnectionState) -> Bool {
        if case .disconnected = state { true } else { false }
    }

    @Test(arguments: BusTransport.allCases)
    func `a request whose taker goes away fails at once, with an unknown outcome`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "the taker of a request goes away", needs: [.takerLoss]) { bus in
            let service = try await bus.client("service")
            let arrived = Atomic(0)
            _ = try await service.subscribe("sb.test.v1.never", queue: "q") { _ in arrived.add(1, ordering: .relaxed) }
            let caller = try await bus.client("caller")
            let waiting = Task { try await caller.request("sb.test.v1.never", timeout: .seconds(120)) }
            try await eventually("the request arrived") { arrived.load(ordering: .relaxed) == 1 }
            await service.close()
            let error = await #expect(throws: BusError.self) { try await waiting.value }
            // The request's own timeout would be `timeout`.
            #expect(error?.code == .takerLost)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C23 a killed broker fails what is in flight at once; when it is back, all subscriptions are`(
        _ kind: BusTransport
    ) async throws {
        try await BusFixture.with(kind, "C23 broker kill -9", broker: true) { bus in
            guard let broker = bus.broker else { return }
            let service = try await bus.client("service")
            let arrived = Atomic(0)
            _ = try await service.subscribe("sb.test.v1.never") { _ in arrived.add(1, ordering: .relaxed) }
            _ = try await service.subscribe("sb.test.v1.echo", queue: "q") {
                try? service.respond(to: $0, body: $0.body)
            }
            let caller = try await bus.client("caller")
            var states = caller.states.makeAsyncIterator()
            #expect(await states.next() == .connected)
            let waiting = (0..<10).map { _ in
                Task { try await caller.request("sb.test.v1.never", timeout: .seconds(120)) }
            }
            try await eventually("all requests arrived") { arrived.load(ordering: .relaxed) == 10 }
            try await broker.kill()
            for task in waiting {
                let error = await #expect(throws: BusError.self) { try await task.value }
                // The requests' own timeout would be `timeout`.
                #expect(error?.code == .disconnected)
            }
            await reach(&states, isLoss)
            let refused = await #expect(throws: BusError.self) {
                try await caller.request("sb.test.v1.echo", timeout: .seconds(120))
            }
            #expect(refused?.code == .disconnected)
            try await broker.restart()
            await reach(&states) { $0 == .connected }
            try await service.waitUntilConnected(timeout: .seconds(30))
            #expect(try await caller.request("sb.test.v1.echo", body: [1]).body == [1])
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C23 events published while the broker is away arrive when it is back`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C23 buffered events", broker: true) { bus in
            guard let broker = bus.broker else { return }
            let client = try await bus.client("client")
            let seen = Locked<[UInt8]>([])
            // The same client publishes, so that its subscription is certainly there before its events.
            _ = try await client.subscribe("sb.evt.kept") { message in seen.withLock { $0 += message.body } }
            try await broker.kill()
            try await eventually("the loss was noticed") { client.state != .connected }
            for number in UInt8(1)...3 { try client.publish("sb.evt.kept", body: [number]) }
            try await broker.restart()
            try await eventually("the events arrived") { seen.withLock { $0 } == [1, 2, 3] }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C24 wrong credentials end the client for good, and all waiting callers learn why`(_ kind: BusTransport)
        async throws
    {
        try await BusFixture.with(kind, "C24 auth failure", needs: [.authentication], token: "right") { bus in
            let good = try await bus.client("good")
            let bad = bus.makeClient(BusFixture.Join(name: "bad", token: "wrong"))
            let error = await #expect(throws: BusError.self) { try await bad.waitUntilConnected(timeout: .seconds(30)) }
            #expect(error?.code == .authenticationFailed)
            // The end of the stream of states is the end of all attempts.
            let states = await bad.states.reduce(into: []) { $0.append($1) }
            #expect(states == [.closed])
            #expect(bad.endReason == error)
            let subscribing = await #expect(throws: BusError.self) { try await bad.subscribe("sb.x") { _ in } }
            #expect(subscribing?.code == .authenticationFailed)
            #expect(good.state == .connected)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C25 a frozen broker is left, and taken back when it goes on`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C25 frozen peer", broker: true) { bus in
            guard let broker = bus.broker else { return }
            let service = try await bus.client("service")
            _ = try await service.subscribe("sb.test.v1.echo", queue: "q") {
                try? service.respond(to: $0, body: $0.body)
            }
            let caller = try await bus.client("caller")
            var states = caller.states.makeAsyncIterator()
            #expect(await states.next() == .connected)
            try await broker.freeze()
            let error = await #expect(throws: BusError.self) {
                try await caller.request("sb.test.v1.echo", timeout: .seconds(120))
            }
            #expect(error?.code == .disconnected)
            await reach(&states, isLoss)
            try await broker.thaw()
            await reach(&states) { $0 == .connected }
            try await service.waitUntilConnected(timeout: .seconds(30))
            // Its own connection may be found dead only now, too.
            try await eventually("the service answers again") {
                (try? await caller.request("sb.test.v1.echo", body: [1]).body) == [1]
            }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C30 a second connection of the same instance ends the first for good`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C30 instance eviction", needs: [.instanceEviction]) { bus in
            let first = bus.makeClient(BusFixture.Join(name: "twin", instance: "same"))
            try await first.waitUntilConnected(timeout: .seconds(10))
            let second = bus.makeClient(BusFixture.Join(name: "twin", instance: "same"))
            try await second.waitUntilConnected(timeout: .seconds(10))
            var states = first.states.makeAsyncIterator()
            await reach(&states) { $0 == .closed }
            #expect(first.endReason?.code == .replaced)
            #expect(second.state == .connected)
        }
    }
}
