import BusClient
import BusProtocol
import EventLoop
import StorebusTesting
import Testing

/// Goal: the client keeps SBP/1 and survives a broker that does not. Method: a broker that follows the test's script.
@Suite(.timeLimit(.minutes(5)))
struct BusClientWireTests {
    /// - Parameter ping: Silence after which the client sends a ping; the broker's pong is no part of the script.
    private func with(
        ping: Duration = BusClientLimits.pingInterval, _ body: (ScriptedBroker, SBPClient) async throws -> Void
    ) async throws {
        let loop = try UVLoop.start(name: "test")
        let broker = ScriptedBroker(loop: loop)
        let port = try await broker.start()
        let client = SBPClient(
            configuration: .init(
                url: BusURL(port: port), name: "wire", instance: "i-1", pingInterval: ping,
                silenceMax: ping + BusClientLimits.silenceMax, random: SplitMix64(seed: 1)),
            loop: loop, logger: silent)
        client.start()
        try await client.waitUntilConnected(timeout: .seconds(10))
        try await body(broker, client)
        await client.close()
        await broker.stop()
        await loop.close()
    }

    /// Waits for the second connection to be ready.
    private func reconnect(_ broker: ScriptedBroker, _ client: SBPClient) async throws {
        try await eventually("a new connection") { await broker.connections == 2 && client.state == .connected }
    }

    @Test func `it signs in with name, instance and ping interval, and subscribes to its inbox`() async throws {
        try await with { broker, _ in
            let received = await broker.received
            guard case .connect(let connect) = received[0], case .sub(let inbox) = received[1] else {
                Issue.record("\(received)")
                return
            }
            #expect(
                connect
                    == ConnectMessage(
                        name: "wire", ver: "0.1.0", inst: "i-1", auth: .none, lost: true, pingMilliseconds: 2000))
            #expect(inbox.subject.text == "_INBOX.c1.*")
            #expect(inbox.queue == nil)
        }
    }

    @Test func `after a reconnect the inbox is the new one, and subscriptions come before events`() async throws {
        try await with { broker, client in
            _ = try await client.subscribe("sb.evt.a", queue: "q") { _ in }
            await broker.forget()
            var states = client.states.makeAsyncIterator()
            #expect(await states.next() == .connected)
            await broker.send(header: #"{"op":"bye","why":"maintenance"}"#)
            // Published by the time there is no connection or a new one: either way it follows the subscriptions.
            _ = await states.next()
            try client.publish("sb.evt.kept")
            try await reconnect(broker, client)
            try await eventually("the event arrived") {
                await broker.received.contains { if case .pub = $0 { true } else { false } }
            }
            let kinds = await broker.received.compactMap { message -> String? in
                switch message {
                case .connect: "connect"
                case .sub(let sub): sub.subject.text
                case .pub(let subject, _): subject
                default: nil
                }
            }
            #expect(kinds == ["connect", "_INBOX.c2.*", "sb.evt.a", "sb.evt.kept"])
        }
    }

    @Test(arguments: [
        "GARBAGE", "\u{0}\u{0}\u{0}\u{1}", "\u{0}\u{0}\u{0}\u{5}\u{0}\u{0}\u{0}\u{0}{]}  ",
        "\u{0}\u{0}\u{0}\u{2}\u{0}\u{0}\u{0}\u{0}{}", "\u{0}\u{7f}\u{7f}\u{7f}\u{0}\u{0}\u{0}\u{0}",
    ])
    func `a broker that sends what is no frame is left, and tried again`(bytes: String) async throws {
        try await with { broker, client in
            var states = client.states.makeAsyncIterator()
            _ = await states.next()
            await broker.send(Array(bytes.utf8))
            guard case .disconnected(let reason)? = await states.next() else {
                Issue.record("it stayed")
                return
            }
            #expect(reason.code == .protocolViolation)
            try await reconnect(broker, client)
        }
    }

    @Test func `a frame of the broker may arrive byte by byte`() async throws {
        // On a slow machine that takes a while, and a pong in the midst of the frame would spoil it.
        try await with(ping: .seconds(600)) { broker, client in
            let seen = Locked<[BusMessage]>([])
            _ = try await client.subscribe("sb.evt.slow") { message in seen.withLock { $0.append(message) } }
            let header = #"{ "op" : "msg" , "sid" : 2 , "subject" : "sb.evt.slow", "key":"k", "later":1.5e3 }"#
            var frame: [UInt8] = [0, 0, 0, UInt8(header.utf8.count), 0, 0, 0, 2] + Array(header.utf8) + [7, 8]
            while !frame.isEmpty {
                await broker.send([frame.removeFirst()])
                // A turn of the loop between the bytes, so that they leave one by one.
                await Task.yield()
            }
            try await eventually("the message arrived") { seen.withLock { !$0.isEmpty } }
            #expect(seen.withLock { $0 } == [BusMessage(subject: "sb.evt.slow", key: "k", body: [7, 8])])
        }
    }

    @Test func `unknown ops, unknown members and a drain change nothing`() async throws {
        try await with { broker, client in
            await broker.send(header: #"{"op":"future","x":[1,{"y":null}]}"#)
            await broker.send(header: #"{"op":"drain","in_ms":1000,"why":"test","more":true}"#)
            await broker.send(header: #"{"op":"msg","sid":99,"subject":"nobody"}"#)
            await broker.send(header: #"{"op":"err","code":"newer_code","num":499,"message":"?","fatal":false}"#)
            try await client.flush(timeout: .seconds(5))
            #expect(client.state == .connected)
            #expect(await broker.connections == 1)
        }
    }

    @Test func `a ping is answered with its own t`() async throws {
        try await with { broker, client in
            await broker.send(header: #"{"op":"ping","t":"ab"}"#)
            await broker.send(header: #"{"op":"ping","t":17}"#)
            try await client.flush(timeout: .seconds(5))
            let pongs = await broker.received.compactMap { if case .pong(let t) = $0 { t } else { nil } }
            #expect(pongs == ["ab", "17"])
        }
    }

    @Test func `a refused subscription throws the reason`() async throws {
        try await with { broker, client in
            await broker.refuseSubs()
            let subscribing = Task { try await client.subscribe("sb.secret") { _ in } }
            var sequence: Int?
            try await eventually("it asked") {
                for case .sub(let sub) in await broker.received where sub.subject.text == "sb.secret" {
                    sequence = sub.seq
                }
                return sequence != nil
            }
            await broker.send(
                header:
                    #"{"op":"err","code":"perm_sub","num":403,"message":"no","fatal":false,"seq":\#(sequence ?? 0)}"#)
            let error = await #expect(throws: BusError.self) { try await subscribing.value }
            #expect(error?.code == .permissionDenied)
            #expect(error?.origin == .broker)
        }
    }

    @Test func `a refused request fails at once, and others wait on`() async throws {
        try await with { broker, client in
            let refused = Task { try await client.request("sb.secret", timeout: .seconds(60)) }
            let other = Task { try await client.request("sb.open", timeout: .seconds(60)) }
            var reply: String?
            try await eventually("both arrived") {
                var count = 0
                for case .pub(let subject, let to) in await broker.received {
                    count += 1
                    if subject == "sb.open" { reply = to }
                }
                return count == 2
            }
            await broker.send(
                header:
                    #"{"op":"err","code":"perm_pub","num":403,"message":"no","fatal":false,"#
                    + #""re":"pub","subject":"sb.secret"}"#
            )
            #expect(await #expect(throws: BusError.self) { try await refused.value }?.code == .permissionDenied)
            await broker.send(header: #"{"op":"msg","sid":1,"subject":"\#(reply ?? "")"}"#, body: [1])
            #expect(try await other.value.body == [1])
        }
    }

    @Test func `answers without a waiting request are dropped`() async throws {
        try await with { broker, client in
            for subject in ["_INBOX.c1.999", "_INBOX.c1.x", "_INBOX.c1", "a"] {
                await broker.send(header: #"{"op":"msg","sid":1,"subject":"\#(subject)","status":503}"#)
            }
            try await client.flush(timeout: .seconds(5))
            #expect(client.state == .connected)
        }
    }

    @Test func `closing says goodbye`() async throws {
        try await with { broker, client in
            await client.close()
            try await eventually("it said bye") {
                await broker.received.contains { if case .bye = $0 { true } else { false } }
            }
        }
    }
}
