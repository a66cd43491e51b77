import BusProtocol
import Testing

@testable import Broker

/// Goal: silence, half frames, slow readers, memory and goodbyes, with time moved by hand.
@Suite struct LivenessTests {
    @Test func `C25 silence brings two pings and then stale`() {
        let harness = CoreHarness()
        let client = harness.client(pingMilliseconds: 2000)
        harness.advance(.milliseconds(1999))
        #expect(client.log() == [])
        harness.advance(.milliseconds(1))
        #expect(client.log() == ["ping"])
        harness.advance(.seconds(2))
        #expect(client.log() == ["ping"])
        harness.advance(.milliseconds(1900))
        #expect(client.log() == [] && !client.isEnded)
        harness.advance(.milliseconds(100))
        #expect(client.log() == ["err stale!"] && client.isEnded)
    }

    @Test func `a tick tells when the first limit is reached`() {
        let harness = CoreHarness()
        #expect(harness.core.tick(now: harness.now) == nil)
        let connected = harness.now
        let client = harness.client(pingMilliseconds: 30_000)
        #expect(harness.core.tick(now: harness.now) == connected + .seconds(30))
        harness.advance(.seconds(4))
        harness.receive([0], on: client.cid)
        #expect(harness.core.tick(now: harness.now) == connected + .seconds(14), "its frame")
        harness.advance(.milliseconds(500))
        _ = harness.accept()
        #expect(harness.core.tick(now: harness.now) == connected + .milliseconds(6500), "its sign-in")
    }

    @Test func `any byte is a sign of life`() {
        let harness = CoreHarness()
        let client = harness.client(pingMilliseconds: 1000)
        for _ in 0..<10 {
            harness.advance(.milliseconds(900))
            harness.receive([0], on: client.cid)
            harness.receive(Array([0, 0, 13, 0, 0, 0, 0] + Array(#"{"op":"pong"}"#.utf8)), on: client.cid)
        }
        #expect(client.log() == [])
    }

    @Test func `ping is answered with its t, after everything before it`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        client.pub("a")
        client.send(#"{"op":"ping","t":17}"#)
        client.send(#"{"op":"ping"}"#)
        #expect(client.log() == ["msg 1 a", "pong 17", "pong"])
    }

    @Test func `a frame unfinished for ten seconds is a bad frame`() {
        let harness = CoreHarness()
        let client = harness.client()
        harness.receive([0, 0, 0, 60, 0, 0, 0, 0, 0x7B], on: client.cid)
        harness.advance(.milliseconds(9900))
        harness.receive([0x20], on: client.cid)
        #expect(client.log() == [])
        harness.advance(.milliseconds(100))
        #expect(client.log() == ["err bad_frame!"] && client.isEnded)
    }

    @Test func `each frame has ten seconds of its own`() {
        let harness = CoreHarness()
        let client = harness.client()
        let ping = [0, 0, 0, 13, 0, 0, 0, 0] + Array(#"{"op":"ping"}"#.utf8)
        harness.receive([ping[0]], on: client.cid)
        for _ in 0..<5 {
            harness.advance(.seconds(6))
            harness.receive(Array(ping[1...]) + [ping[0]], on: client.cid)
        }
        #expect(!client.isEnded)
    }

    @Test func `after a fatal error nothing more is taken`() {
        let harness = CoreHarness()
        let client = harness.client()
        client.sub(1, "a")
        client.send("{]")
        client.pub("a")
        #expect(client.log() == ["err bad_frame!"] && client.isEnded)
    }

    @Test func `after a non-fatal error the next frame is handled as usual`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        client.send(#"{"op":"pub","subject":"a","x":1,"seq":1}"#, body: [1, 2, 3])
        client.send(#"{"op":"pub","subject":"a..b"}"#, body: [9])
        client.pub("a", more: ",\"seq\":2", body: [4])
        #expect(client.log() == ["err bad_header 1", "err bad_subject", "msg 1 a", "ok pub 2 delivered=1"])
    }

    @Test func `C26 over the hard limit a reader is closed and the publisher not slowed`() {
        var limits = BrokerLimits()
        limits.hardPendingBytes = 10_000
        let harness = CoreHarness(limits: limits)
        let (slow, publisher) = (harness.client("slow"), harness.client())
        slow.sub(1, "a")
        harness.heldBack[slow.cid] = 0
        for number in 1...20 {
            publisher.pub("a", more: ",\"seq\":\(number)", body: [UInt8](repeating: 0, count: 1000))
        }
        #expect(harness.endings[slow.cid] == .afterFlush)
        #expect(publisher.take().count == 20)
        #expect(harness.core.counters.slowConsumers == 1)
        #expect(
            harness.events.contains { if case .slowConsumer(slow.cid, "slow", _, _, _) = $0 { true } else { false } })
        harness.disconnect(slow.cid)
        #expect(harness.core.closed.last?.reason == "slow_consumer" && harness.core.totalPendingBytes == 0)
    }

    @Test func `C25 without write progress for ten seconds a reader is closed`() {
        let harness = CoreHarness()
        let client = harness.client()
        client.sub(1, "a")
        harness.heldBack[client.cid] = 0
        client.pub("a", body: [UInt8](repeating: 0, count: 100))
        let began = harness.now
        for _ in 0..<99 {
            harness.core.progressed(client.cid, pendingBytes: 150, at: began)
            harness.advance(.milliseconds(100))
        }
        #expect(!client.isEnded)
        harness.core.progressed(client.cid, pendingBytes: 150, at: began)
        harness.advance(.milliseconds(100))
        #expect(harness.endings[client.cid] == .now)
    }

    @Test func `C34 over the memory of the broker the largest goes first`() {
        var limits = BrokerLimits()
        limits.totalPendingBytes = 10_000
        let harness = CoreHarness(limits: limits)
        let (large, small, publisher) = (harness.client(), harness.client(), harness.client())
        large.sub(1, "a")
        large.sub(2, "a")
        small.sub(1, "a")
        harness.heldBack[large.cid] = 0
        harness.heldBack[small.cid] = 0
        for _ in 0..<4 { publisher.pub("a", body: [UInt8](repeating: 0, count: 1000)) }
        harness.advance(.milliseconds(100))
        #expect(harness.endings[large.cid] == .now && harness.endings[small.cid] == nil)
        #expect(harness.core.totalPendingBytes <= 10_000)
    }

    @Test func `C27 overflow drop loses messages, counts them, and tells once it has drained`() {
        var limits = BrokerLimits()
        limits.softPendingBytes = 1000
        let harness = CoreHarness(limits: limits)
        let (reader, publisher) = (harness.client(), harness.client())
        reader.sub(1, "a", more: ",\"overflow\":\"drop\"")
        harness.heldBack[reader.cid] = 0
        for number in 1...10 { publisher.pub("a", more: ",\"seq\":\(number)", body: [UInt8](repeating: 0, count: 400)) }
        let delivered = publisher.log().filter { $0.hasSuffix("delivered=1") }.count
        #expect((1...4).contains(delivered) && harness.core.counters.dropped == 10 - delivered)
        harness.heldBack[reader.cid] = nil
        harness.core.progressed(reader.cid, pendingBytes: 0, at: harness.now)
        guard case .err(let error)? = reader.messages().last else { return #expect(Bool(false), "no slow_drop") }
        #expect(error.code == "slow_drop" && error.sid == 1 && !error.fatal)
        #expect(error.message.contains("\(10 - delivered)") && !reader.isEnded)
    }

    @Test func `bye closes after what was written before it`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        client.pub("a")
        client.send(#"{"op":"bye","why":"done"}"#)
        #expect(client.log() == ["msg 1 a"] && client.isEnded)
    }

    @Test func `C29 stopping drains, keeps serving, and spreads the goodbyes over the window`() {
        let harness = CoreHarness()
        let clients = (0..<4).map { _ in harness.client() }
        let unsigned = harness.accept()
        _ = unsigned.take()
        clients[3].sub(1, "a")
        harness.core.drain(why: "stopping", now: harness.now)
        #expect(unsigned.log() == ["err shutting_down!"])
        for client in clients { #expect(client.log() == ["drain"]) }
        clients[2].pub("a", more: ",\"seq\":1")
        #expect(clients[2].log() == ["ok pub 1 delivered=1"] && clients[3].log() == ["msg 1 a"], "all ops stay legal")
        var goodbyes: [Int] = []
        for _ in 0..<10 {
            harness.advance(.milliseconds(100))
            goodbyes.append(clients.filter { $0.log() == ["bye"] }.count)
        }
        // The first not before a quarter of the window has passed, the last at its end.
        #expect(goodbyes == [0, 0, 1, 0, 1, 0, 0, 1, 0, 1])
        for client in clients { #expect(client.isEnded) }
    }

    @Test func `a trace sees what passes and takes nothing away`() {
        let harness = CoreHarness()
        let (tracer, client) = (harness.client(), harness.client())
        tracer.sub(1, "$SYS.TAP.>", more: ",\"seq\":1")
        tracer.sub(2, "$SYS.TAP._INBOX", more: ",\"seq\":2")
        client.sub(1, "\(client.inbox).>")
        client.pub("work", reply: "\(client.inbox).1", more: ",\"seq\":1")
        #expect(tracer.log() == ["ok sub 1", "err perm_sub 2", "msg 1 work"])
        #expect(client.log() == ["msg 1 \(client.inbox).1 503", "ok pub 1 delivered=0"], "a trace is no taker")
        tracer.pub("\(client.inbox).1", more: ",\"seq\":3")
        #expect(tracer.log() == ["err perm_pub 3"], "and gets no grant")
    }

    @Test func `a trace of replies sees each after its request, without the body, and the broker's own answers`() {
        let harness = CoreHarness()
        let (tracer, service, client) = (harness.client(), harness.client(), harness.client())
        tracer.sub(1, "$SYS.TAP._INBOX.>", more: ",\"seq\":1")
        tracer.sub(2, "$SYS.TAP.>")
        service.sub(1, "work", queue: "q")
        client.sub(1, "\(client.inbox).>")
        client.pub("work", reply: "\(client.inbox).1")
        service.pub("\(client.inbox).1", body: [1, 2, 3])
        client.pub("idle", reply: "\(client.inbox).2")
        let seen = tracer.take()
        #expect(
            seen.map(\.message.short) == [
                "ok sub 1", "msg 2 work", "msg 1 \(client.inbox).1", "msg 2 idle", "msg 1 \(client.inbox).2 503",
            ])
        let bodies = seen.map(\.body)
        #expect(bodies.allSatisfy { $0.isEmpty })
        let replies = client.take().map(\.body)
        #expect(replies == [[1, 2, 3], []], "the requester has the whole reply")
    }

    @Test func `the broker answers requests for its pages`() {
        let harness = CoreHarness()
        harness.core.systemRequests = { name, _ in
            name == "VARZ" ? MonitorPage(status: 200, contentType: "text/plain", body: [1, 2, 3]) : nil
        }
        let client = harness.client()
        client.sub(1, "\(client.inbox).>")
        client.pub("$SYS.REQ.VARZ", reply: "\(client.inbox).1", more: ",\"seq\":1")
        let received = client.take()
        #expect(received.map(\.message.short) == ["msg 1 \(client.inbox).1", "ok pub 1 delivered=1"])
        #expect(received[0].body == [1, 2, 3])
        client.pub("$SYS.REQ.NOPE", reply: "\(client.inbox).1", more: ",\"seq\":2")
        #expect(client.log() == ["err reserved 2"])
    }
}
