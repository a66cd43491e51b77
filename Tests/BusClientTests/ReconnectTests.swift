import BusClient
import BusProtocol
import EventLoop
import StorebusTesting
import Testing

/// Goal: a broker that goes away costs requests in flight and nothing else. Method: a broker in this process is killed
/// and started again on the same port.
@Suite(.timeLimit(.minutes(5)))
struct ReconnectTests {
    @Test func `after the broker was killed and started again, subscriptions and requests work as before`() async throws
    {
        try await TestBroker.with { broker in
            let service = broker.client("service")
            _ = try await service.subscribe("sb.test.v1.echo", queue: "q") {
                try? service.respond(to: $0, body: $0.body)
            }
            let caller = broker.client("caller")
            try await caller.waitUntilConnected(timeout: .seconds(5))
            #expect(try await caller.request("sb.test.v1.echo", body: [1]).body == [1])
            for round in 2...3 {
                await broker.kill()
                try await eventually("the loss was noticed") {
                    caller.state != .connected && service.state != .connected
                }
                try await broker.restart()
                try await service.waitUntilConnected(timeout: .seconds(10))
                try await caller.waitUntilConnected(timeout: .seconds(10))
                #expect(try await caller.request("sb.test.v1.echo", body: [UInt8(round)]).body == [UInt8(round)])
            }
        }
    }

    @Test func `requests in flight fail at the instant of the disconnect`() async throws {
        try await TestBroker.with { broker in
            let service = broker.client("service")
            let arrived = Locked(0)
            _ = try await service.subscribe("sb.test.v1.never") { _ in arrived.withLock { $0 += 1 } }
            let caller = broker.client("caller")
            try await caller.waitUntilConnected(timeout: .seconds(5))
            // Far beyond the suite's time limit: what ends in time has not waited for a timeout.
            let tasks = (0..<10).map { _ in
                Task { try await caller.request("sb.test.v1.never", timeout: .seconds(600)) }
            }
            try await eventually("all requests arrived") { arrived.withLock { $0 } == 10 }
            await broker.kill()
            for task in tasks {
                #expect(await #expect(throws: BusError.self) { try await task.value }?.code == .disconnected)
            }
        }
    }

    @Test func `requests are never buffered: without a connection they fail at once`() async throws {
        try await TestBroker.with { broker in
            let caller = broker.client("caller")
            try await caller.waitUntilConnected(timeout: .seconds(5))
            await broker.kill()
            try await eventually("the loss was noticed") { caller.state != .connected }
            let error = await #expect(throws: BusError.self) {
                try await caller.request("sb.test.v1.echo", timeout: .seconds(60))
            }
            #expect(error?.code == .disconnected)
        }
    }

    @Test func `events published while disconnected arrive after the reconnect, up to a mebibyte of them`() async throws
    {
        try await TestBroker.with { broker in
            let reader = broker.client("reader")
            let seen = Locked<[Int]>([])
            _ = try await reader.subscribe("sb.evt.kept") { message in seen.withLock { $0.append(message.body.count) } }
            // The same client publishes, so that its subscription is certainly there before its events. A client that is
            // not connected yet may be so for a moment after the kill, and write to what is gone.
            try await reader.waitUntilConnected(timeout: .seconds(5))
            await broker.kill()
            try await eventually("the loss was noticed") { reader.state != .connected }
            try reader.publish("sb.evt.kept", body: [1])
            // From outside the loop the buffer is filled asynchronously, so the bound is tested on the loop.
            try await onLoop(of: reader) {
                try reader.publish("sb.evt.kept", body: Array(repeating: 2, count: 1_000_000))
                let error = #expect(throws: BusError.self) {
                    try reader.publish("sb.evt.kept", body: Array(repeating: 3, count: 100_000))
                }
                #expect(error?.code == .bufferFull)
            }
            try await broker.restart()
            try await eventually("both events arrived") { seen.withLock { $0 } == [1, 1_000_000] }
        }
    }

    @Test func `draining without a broker says which events were never sent`() async throws {
        try await TestBroker.with { broker in
            let client = broker.client("client")
            try await client.waitUntilConnected(timeout: .seconds(10))
            await broker.kill()
            try await eventually("the loss was noticed") { client.state != .connected }
            try await onLoop(of: client) { for _ in 0..<3 { try client.publish("sb.evt.kept") } }
            #expect(await client.drain() == BusDrainReport(events: 3, isFlushed: false))
        }
    }

    @Test func `the states tell the story: connected, disconnected with the reason, connecting, connected`()
        async throws
    {
        try await TestBroker.with { broker in
            let client = broker.client("client")
            try await client.waitUntilConnected(timeout: .seconds(5))
            var states = client.states.makeAsyncIterator()
            #expect(await states.next() == .connected)
            await broker.kill()
            guard case .disconnected(let reason)? = await states.next() else {
                Issue.record("no disconnect")
                return
            }
            #expect(reason.code == .disconnected)
            #expect(await states.next() == .connecting)
            try await broker.restart()
            while let state = await states.next(), state != .connected {}
            #expect(client.state == .connected)
            await client.close()
            #expect(await states.next() == .closed)
            #expect(await states.next() == nil)
        }
    }

    @Test func `a client that starts before its broker subscribes once there is one`() async throws {
        try await TestBroker.with { broker in
            await broker.kill()
            let client = broker.client("early")
            let subscribing = Task { try await client.subscribe("sb.evt.early") { _ in } }
            for await state in client.states {
                if case .disconnected = state { break }
            }
            #expect(client.state == .connecting)
            try await broker.restart()
            _ = try await subscribing.value
            try await client.waitUntilConnected(timeout: .seconds(5))
        }
    }

    @Test func `waiting for a subscription ends when the task is cancelled`() async throws {
        try await TestBroker.with { broker in
            await broker.kill()
            let client = broker.client("early")
            let subscribing = Task { try await client.subscribe("sb.evt.early") { _ in } }
            subscribing.cancel()
            #expect(await #expect(throws: BusError.self) { try await subscribing.value }?.code == .cancelled)
        }
    }

    @Test func `a second connection of the same instance replaces the first for good`() async throws {
        try await TestBroker.with { broker in
            let first = broker.client("twin", instance: "same")
            try await first.waitUntilConnected(timeout: .seconds(5))
            var states = first.states.makeAsyncIterator()
            _ = await states.next()
            let second = broker.client("twin", instance: "same")
            try await second.waitUntilConnected(timeout: .seconds(5))
            guard case .disconnected(let reason)? = await states.next() else {
                Issue.record("no disconnect")
                return
            }
            #expect(reason.code == .replaced)
            #expect(await states.next() == .closed)
            #expect(first.endReason == reason)
            #expect(second.state == .connected)
        }
    }

    @Test func `wrong credentials end the client, and all waiting callers learn why`() async throws {
        try await TestBroker.with(token: "right") { broker in
            let good = broker.client("good")
            try await good.waitUntilConnected(timeout: .seconds(5))
            let bad = broker.client("bad", token: "wrong")
            let error = await #expect(throws: BusError.self) { try await bad.waitUntilConnected(timeout: .seconds(30)) }
            #expect(error?.code == .authenticationFailed)
            #expect(bad.state == .closed)
            let subscribing = await #expect(throws: BusError.self) { try await bad.subscribe("sb.x") { _ in } }
            #expect(subscribing?.code == .authenticationFailed)
            #expect(bad.endReason == error)
        }
    }

    @Test func `a request from code on the loop does not leave its thread`() async throws {
        try await TestBroker.with { broker in
            let service = broker.client("service")
            _ = try await service.subscribe("sb.test.v1.echo") { try? service.respond(to: $0) }
            let caller = broker.client("caller")
            try await caller.waitUntilConnected(timeout: .seconds(5))
            let loop = broker.clientLoop
            let stayed = try await Task(executorPreference: loop) {
                var stayed = loop.isCurrent
                let before = loop.wakeUpCount
                for _ in 0..<100 {
                    _ = try await caller.request("sb.test.v1.echo")
                    stayed = stayed && loop.isCurrent
                }
                return (stayed, loop.wakeUpCount - before)
            }.value
            #expect(stayed.0)
            // Only this client uses the loop, so nothing had to wake it from outside.
            #expect(stayed.1 == 0)
        }
    }
}

/// Runs a body on the client's loop.
private func onLoop(of client: SBPClient, _ body: @escaping @Sendable () throws -> Void) async throws {
    try await Task(executorPreference: client.loop) { try body() }.value
}
