import BusClient
import BusProtocol
import EventLoop
import StorebusTesting
import Synchronization
import Testing

extension ConformanceTests {
    @Test(arguments: BusTransport.allCases)
    func `C12 of three members the slow one gets at most 5 % of the requests`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C12 queue distribution", needs: [.loadAwareQueues]) { bus in
            let slowCount = Atomic(0)
            for number in 0..<3 {
                let member = try await bus.client("member\(number)")
                _ = try await member.subscribe("sb.test.v1.work", queue: "q") { request in
                    if number == 0 { slowCount.add(1, ordering: .relaxed) } else { try? member.respond(to: request) }
                }
            }
            let caller = try await bus.client("caller")
            for _ in 0..<400 {
                // A request to the slow one is given up; how many there are is what is tested.
                _ = try? await caller.request("sb.test.v1.work", timeout: .milliseconds(200))
            }
            #expect(slowCount.load(ordering: .relaxed) <= 20)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C13 a client gets its own publishes back, unless it said it does not want them`(_ kind: BusTransport)
        async throws
    {
        try await BusFixture.with(kind, "C13 echo") { bus in
            for echo in [true, false] {
                let client = try await bus.client("client", echo: echo)
                let count = Atomic(0)
                _ = try await client.subscribe("sb.evt.own") { _ in count.add(1, ordering: .relaxed) }
                try client.publish("sb.evt.own")
                try await client.flush(timeout: .seconds(5))
                #expect(count.load(ordering: .relaxed) == (echo ? 1 : 0))
                await client.close()
            }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C14 a subscription with a maximum ends after so many deliveries`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C14 max") { bus in
            let reader = try await bus.client("reader")
            let seen = Locked<[UInt8]>([])
            let subscription = try await reader.subscribe("sb.evt.few", queue: nil, max: 3) { message in
                seen.withLock { $0 += message.body }
            }
            let writer = try await bus.client("writer")
            for number in 0..<10 { try writer.publish("sb.evt.few", body: [UInt8(number)]) }
            try await writer.flush(timeout: .seconds(5))
            try await reader.flush(timeout: .seconds(5))
            #expect(seen.withLock { $0 } == [0, 1, 2])
            let nobody = await #expect(throws: BusError.self) {
                try await writer.request("sb.evt.few", timeout: .seconds(30))
            }
            #expect(nobody?.code == .noResponders)
            await subscription.unsubscribe()
            let none = await #expect(throws: BusError.self) {
                try await reader.subscribe("sb.evt.few", queue: nil, max: 0) { _ in }
            }
            #expect(none?.code == .invalidMessage)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C18 header values may be empty and begin or end with a space`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C18 any header value", needs: [.anyHeaderValue]) { bus in
            let reader = try await bus.client("reader")
            let seen = Locked<BusHeaders?>(nil)
            _ = try await reader.subscribe("sb.evt.headers") { message in seen.withLock { $0 = message.headers } }
            let writer = try await bus.client("writer")
            let headers: BusHeaders = ["Empty": "", "Spaces": "  a ", "Case": "x", "case": "y"]
            try writer.publish("sb.evt.headers", headers: headers)
            try await eventually("the event arrived") { seen.withLock { $0 } == headers }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C18 thirty-two headers arrive, and the names keep their case`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C18 thirty-two headers") { bus in
            let reader = try await bus.client("reader")
            let seen = Locked<BusHeaders?>(nil)
            _ = try await reader.subscribe("sb.evt.headers") { message in seen.withLock { $0 = message.headers } }
            let writer = try await bus.client("writer")
            var headers: BusHeaders = ["Sb-Id": "x", "sb-id": "y"]
            for number in 2..<32 { headers["X-\(number)"] = "a: b=\"\(number)\" ü" }
            try writer.publish("sb.evt.headers", headers: headers)
            try await eventually("the event arrived") { seen.withLock { $0 } == headers }
            headers["one-more"] = "z"
            let tooMany = headers
            #expect(throws: BusError.self) { try writer.publish("sb.evt.headers", headers: tooMany) }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C21 no client sees the answers to another's requests`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C21 inbox privacy", needs: [.privateInboxes]) { bus in
            let service = try await bus.client("service")
            _ = try await service.subscribe("sb.test.v1.secret", queue: "q") { try? service.respond(to: $0, body: [7]) }
            let spy = try await bus.client("spy")
            let seen = Atomic(0)
            for pattern in [">", "*.*.*", "_INBOX.>", "_INBOX.*.*"] {
                // Refused or of no use: both keep the promise.
                _ = try? await spy.subscribe(pattern) { message in
                    if message.body == [7] { seen.add(1, ordering: .relaxed) }
                }
            }
            let caller = try await bus.client("caller")
            #expect(try await caller.request("sb.test.v1.secret").body == [7])
            try await spy.flush(timeout: .seconds(5))
            #expect(seen.load(ordering: .relaxed) == 0)
        }
    }

    /// A million in an optimized build; a tenth of it in one for debugging, which takes ten times as long for each.
    private static var manyMessages: Int {
        #if DEBUG
            100_000
        #else
            1_000_000
        #endif
    }

    @Test(arguments: BusTransport.allCases)
    func `C22 messages of one publisher arrive in order, a million of them`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C22 FIFO") { bus in
            let reader = try await bus.client("reader")
            let next = Atomic(0)
            let wrong = Atomic(0)
            _ = try await reader.subscribe("sb.evt.row") { message in
                let number = message.body.reversed().reduce(0) { (sum: Int, byte: UInt8) -> Int in sum * 256 + Int(byte)
                }
                let expected = next.add(1, ordering: .relaxed).oldValue
                if number != expected { wrong.add(1, ordering: .relaxed) }
            }
            let writer = try await bus.client("writer")
            let batch = 10_000
            for start in stride(from: 0, to: Self.manyMessages, by: batch) {
                for number in start..<start + batch {
                    try writer.publish(
                        "sb.evt.row", body: withUnsafeBytes(of: UInt32(number).littleEndian) { Array($0) })
                }
                try await writer.flush(timeout: .seconds(60))
                try await eventually("the batch arrived", within: .seconds(60)) {
                    next.load(ordering: .relaxed) == start + batch
                }
            }
            #expect(wrong.load(ordering: .relaxed) == 0)
        }
    }
}
