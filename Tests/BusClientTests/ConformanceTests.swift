import BusClient
import BusProtocol
import EventLoop
import StorebusTesting
import Synchronization
import Testing

/// Goal: every transport keeps the promises of `BusClient`. Method: the same bodies run over all of them; what one
/// cannot do is skipped by name, and the sums are printed at the end. The numbers are those of the list of conformance
/// cases; those that need plain sockets are in the broker's tests.
@Suite(.timeLimit(.minutes(5)), Conformance.trait)
struct ConformanceTests {
    @Test(arguments: BusTransport.allCases)
    func `C18 a request is answered by the subscriber, with body and headers intact`(_ kind: BusTransport)
        async throws
    {
        try await BusFixture.with(kind, "C18 headers") { bus in
            let service = try await bus.client("service")
            _ = try await service.subscribe("sb.test.v1.echo", queue: "q") { request in
                #expect(request.reply != nil)
                let headers: BusHeaders = ["Echo": request.headers["Say"] ?? ""]
                try? service.respond(to: request, body: request.body + [33], headers: headers)
            }
            let caller = try await bus.client("caller")
            let reply = try await caller.request(
                "sb.test.v1.echo", body: Array("grüß \"dich\"\n".utf8), headers: ["Say": "ü\"\\"])
            #expect(reply.body == Array("grüß \"dich\"\n!".utf8))
            #expect(reply.headers["Echo"] == "ü\"\\")
            #expect(reply.status == nil)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C16 a request without a responder fails at once with noResponders`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C16 no responders") { bus in
            let caller = try await bus.client("caller")
            let started = ContinuousClock.now
            let error = await #expect(throws: BusError.self) {
                try await caller.request("sb.test.v1.nobody", timeout: .seconds(30))
            }
            #expect(error?.code == .noResponders)
            #expect(error?.isRetryable == true)
            #expect(started.duration(to: .now) < .seconds(10))
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C16 an unanswered request times out, and a late answer is dropped`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C16 timeout and late answer") { bus in
            let service = try await bus.client("service")
            let requests = Locked<[BusMessage]>([])
            _ = try await service.subscribe("sb.test.v1.slow") { request in requests.withLock { $0.append(request) } }
            let caller = try await bus.client("caller")
            let error = await #expect(throws: BusError.self) {
                try await caller.request("sb.test.v1.slow", timeout: .milliseconds(50))
            }
            #expect(error?.code == .timeout)
            let late = try #require(requests.withLock { $0.first })
            try service.respond(to: late, body: [1])
            try await service.flush(timeout: .seconds(5))
            try await caller.flush(timeout: .seconds(5))
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C16 cancelling the caller ends the request, before and after it was sent`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C16 cancel") { bus in
            let service = try await bus.client("service")
            let arrived = Locked(false)
            _ = try await service.subscribe("sb.test.v1.never") { _ in arrived.withLock { $0 = true } }
            let caller = try await bus.client("caller")
            let task = Task { try await caller.request("sb.test.v1.never", timeout: .seconds(60)) }
            try await eventually("the request arrived") { arrived.withLock { $0 } }
            task.cancel()
            let error = await #expect(throws: BusError.self) { try await task.value }
            #expect(error?.code == .cancelled)

            let early = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await caller.request("sb.test.v1.never", timeout: .seconds(60))
            }
            early.cancel()
            #expect(await #expect(throws: BusError.self) { try await early.value }?.code == .cancelled)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C17 thousands of requests at once on one connection get their own answers`(_ kind: BusTransport) async throws
    {
        try await BusFixture.with(kind, "C17 10 k concurrent") { bus in
            let service = try await bus.client("service")
            _ = try await service.subscribe("sb.test.v1.twice", queue: "q") { request in
                try? service.respond(to: request, body: request.body + request.body)
            }
            let caller = try await bus.client("caller")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<10_000 {
                    group.addTask {
                        let text = "request \(number);"
                        let reply = try await caller.request(
                            "sb.test.v1.twice", body: Array(text.utf8), timeout: .seconds(50))
                        #expect(String(decoding: reply.body, as: UTF8.self) == text + text)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C10 wildcards match tokens, and a plain subscription gets everything in order`(_ kind: BusTransport)
        async throws
    {
        try await BusFixture.with(kind, "C10 wildcards") { bus in
            let reader = try await bus.client("reader")
            let log = Locked<[String: [String]]>([:])
            for pattern in ["sb.evt.*.changed", "sb.evt.>", "sb.evt.a.changed", ">"] {
                _ = try await reader.subscribe(pattern) { message in
                    log.withLock { $0[pattern, default: []].append(message.subject) }
                }
            }
            let writer = try await bus.client("writer")
            for subject in ["sb.evt.a.changed", "sb.evt.b.changed", "sb.evt.a.b.changed", "other"] {
                try writer.publish(subject)
            }
            try await writer.flush(timeout: .seconds(5))
            try await reader.flush(timeout: .seconds(5))
            let seen = log.withLock { $0 }
            #expect(seen["sb.evt.*.changed"] == ["sb.evt.a.changed", "sb.evt.b.changed"])
            #expect(seen["sb.evt.>"] == ["sb.evt.a.changed", "sb.evt.b.changed", "sb.evt.a.b.changed"])
            #expect(seen["sb.evt.a.changed"] == ["sb.evt.a.changed"])
            #expect(seen[">"] == ["sb.evt.a.changed", "sb.evt.b.changed", "sb.evt.a.b.changed", "other"])
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C11 of a queue group one member gets each message, and a plain subscription all`(_ kind: BusTransport)
        async throws
    {
        try await BusFixture.with(kind, "C11 plain and queue counts") { bus in
            let counts = Locked<[Int: Int]>([:])
            var members: [any BusClient] = []
            for number in 0..<3 {
                let member = try await bus.client("member\(number)")
                _ = try await member.subscribe("sb.test.v1.work", queue: "q") { _ in
                    counts.withLock { $0[number, default: 0] += 1 }
                }
                members.append(member)
            }
            let writer = try await bus.client("writer")
            let plain = try await bus.client("plain")
            _ = try await plain.subscribe("sb.test.*.work") { _ in counts.withLock { $0[-1, default: 0] += 1 } }
            for _ in 0..<300 { try writer.publish("sb.test.v1.work") }
            try await writer.flush(timeout: .seconds(5))
            for member in members + [plain] { try await member.flush(timeout: .seconds(5)) }
            var seen = counts.withLock { $0 }
            #expect(seen.removeValue(forKey: -1) == 300)
            #expect(seen.values.reduce(0, +) == 300)
            #expect(seen.count == 3)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C31 messages with one key go to one member`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C31 key affinity", needs: [.keyAffinity]) { bus in
            let seen = Locked<[String: Set<Int>]>([:])
            var members: [any BusClient] = []
            for number in 0..<3 {
                let member = try await bus.client("member\(number)")
                _ = try await member.subscribe("sb.test.v1.keyed", queue: "q") { message in
                    seen.withLock { _ = $0[message.key ?? "", default: []].insert(number) }
                }
                members.append(member)
            }
            let writer = try await bus.client("writer")
            for round in 0..<50 {
                for key in ["a", "b", "c", "d"] {
                    try writer.publish("sb.test.v1.keyed", body: [UInt8(round)], headers: [:], reply: nil, key: key)
                }
            }
            try await writer.flush(timeout: .seconds(5))
            for member in members { try await member.flush(timeout: .seconds(5)) }
            for (key, takers) in seen.withLock({ $0 }) { #expect(takers.count == 1, "key \(key)") }
            #expect(seen.withLock { Set($0.keys) } == ["a", "b", "c", "d"])
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C15 unsubscribing is a barrier: nothing is delivered after it returns`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C15 unsub barrier") { bus in
            let reader = try await bus.client("reader")
            let writer = try await bus.client("writer")
            for _ in 0..<20 {
                let isOver = Atomic(false)
                let late = Atomic(0)
                let subscription = try await reader.subscribe("sb.evt.flood") { _ in
                    if isOver.load(ordering: .sequentiallyConsistent) { late.add(1, ordering: .relaxed) }
                }
                for _ in 0..<200 { try writer.publish("sb.evt.flood") }
                await subscription.unsubscribe()
                isOver.store(true, ordering: .sequentiallyConsistent)
                try await writer.flush(timeout: .seconds(5))
                try await reader.flush(timeout: .seconds(5))
                #expect(late.load(ordering: .relaxed) == 0)
            }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C16 many answers are collected until the maximum or the time`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C16 many answers") { bus in
            for number in 0..<3 {
                let service = try await bus.client("service\(number)")
                _ = try await service.subscribe("$SRV.PING") { try? service.respond(to: $0, body: [UInt8(number)]) }
            }
            let caller = try await bus.client("caller")
            let all = try await caller.requestMany(
                "$SRV.PING", body: [], headers: [:], max: 3, timeout: .seconds(30))
            #expect(Set(all.map(\.body)) == [[0], [1], [2]])
            let inTime = try await caller.requestMany(
                "$SRV.PING", body: [], headers: [:], max: 10, timeout: .milliseconds(200))
            #expect(inTime.count == 3)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C8 what may not travel is refused before it is sent`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C8 what may not travel") { bus in
            let client = try await bus.client("client")
            #expect(throws: BusError.self) { try client.publish("sb..test") }
            #expect(throws: BusError.self) { try client.publish("sb.*") }
            #expect(throws: BusError.self) { try client.publish("sb.test", headers: ["a": "b\r\nc"]) }
            let tooLarge = #expect(throws: BusError.self) {
                try client.publish("sb.test", body: Array(repeating: 0, count: 1 << 20))
            }
            #expect(tooLarge?.code == .payloadTooLarge)
            let badPattern = await #expect(throws: BusError.self) { try await client.subscribe("a.>.b") { _ in } }
            #expect(badPattern?.code == .invalidSubject)
            let badRequest = await #expect(throws: BusError.self) { try await client.request("", timeout: .seconds(1)) }
            #expect(badRequest?.code == .invalidSubject)
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C9 eight bodies of almost a mebibyte at once arrive byte for byte`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C9 1 MiB body × 8") { bus in
            let service = try await bus.client("service")
            _ = try await service.subscribe("sb.test.v1.big") { try? service.respond(to: $0, body: $0.body) }
            let caller = try await bus.client("caller")
            var random = SplitMix64.seeded()
            let bodies = (0..<8).map { _ in (0..<1_030_000).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for body in bodies {
                    group.addTask {
                        let reply = try await caller.request("sb.test.v1.big", body: body, timeout: .seconds(30))
                        #expect(reply.body == body)
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C16 closing fails what waits, and what comes after`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C16 close") { bus in
            let service = try await bus.client("service")
            _ = try await service.subscribe("sb.test.v1.never") { _ in }
            let client = try await bus.client("client")
            let task = Task { try await client.request("sb.test.v1.never", timeout: .seconds(60)) }
            // Sent, or about to be: either way it must end.
            await Task.yield()
            await client.close()
            #expect(await #expect(throws: BusError.self) { try await task.value }?.code == .closed)
            #expect(client.state == .closed)
            #expect(throws: BusError.self) { try client.publish("sb.test") }
            let states = await client.states.reduce(into: []) { $0.append($1) }
            #expect(states == [.closed])
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C29 draining delivers what was published before, then closes`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C29 the client's drain") { bus in
            let reader = try await bus.client("reader")
            let count = Locked(0)
            _ = try await reader.subscribe("sb.evt.last") { _ in count.withLock { $0 += 1 } }
            let writer = try await bus.client("writer")
            for _ in 0..<100 { try writer.publish("sb.evt.last") }
            #expect(await writer.drain() == BusDrainReport(isFlushed: true))
            #expect(writer.state == .closed)
            try await eventually("all events arrived") { count.withLock { $0 } == 100 }
        }
    }

    @Test(arguments: BusTransport.allCases)
    func `C29 draining says which requests it gave up`(_ kind: BusTransport) async throws {
        try await BusFixture.with(kind, "C29 what a drain gives up") { bus in
            let service = try await bus.client("service")
            let arrived = Locked(0)
            _ = try await service.subscribe("sb.test.v1.never") { _ in arrived.withLock { $0 += 1 } }
            let client = try await bus.client("client")
            let tasks = (0..<3).map { _ in
                Task { try await client.request("sb.test.v1.never", timeout: .seconds(60)) }
            }
            try await eventually("the requests are on their way") { arrived.withLock { $0 } == 3 }
            #expect(await client.drain() == BusDrainReport(requests: 3, isFlushed: true))
            for task in tasks {
                #expect(await #expect(throws: BusError.self) { try await task.value }?.code == .closed)
            }
        }
    }
}
