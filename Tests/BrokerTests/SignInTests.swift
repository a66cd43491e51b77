import BusProtocol
import Testing

@testable import Broker

/// Goal: the way from accepted to ready, and every way it can fail.
@Suite struct SignInTests {
    private static let connect =
        #"{"op":"connect","v":"1","name":"n","lang":"l","ver":"1","auth":{"method":"none"}}"#

    private static func connect(token: String) -> String {
        "{\"op\":\"connect\",\"v\":\"1\",\"name\":\"n\",\"lang\":\"l\",\"ver\":\"1\","
            + "\"auth\":{\"method\":\"token\",\"token\":\"\(token)\"}}"
    }

    @Test func `hello comes first and tells the limits`() throws {
        let harness = CoreHarness()
        let client = harness.accept()
        guard case .hello(let hello)? = client.messages().first else { throw BusViolation(.internalError, "no hello") }
        #expect(hello.v == "1" && hello.cid == client.cid && hello.auth == ["none"])
        #expect(hello.maxHeader == 8192 && hello.maxBody == 1 << 20 && hello.maxSubs == 65_536)
        #expect(hello.pingMilliseconds == 20_000 && hello.pingOut == 2)
    }

    @Test func `connect is answered with user, private inbox and ping interval`() throws {
        let harness = CoreHarness()
        let (one, two) = (harness.accept(), harness.accept())
        _ = (one.take(), two.take())
        one.send(Self.connect.replacing("\"lang\"", with: "\"ping_ms\":2000,\"seq\":5,\"lang\""))
        two.send(Self.connect)
        guard case .ok(let first)? = one.messages().first, case .ok(let second)? = two.messages().first else {
            throw BusViolation(.internalError, "no ok")
        }
        #expect(first.re == "connect" && first.seq == 5 && first.user == "default" && first.pingMilliseconds == 2000)
        #expect(second.pingMilliseconds == 20_000)
        let (inbox, other) = (try #require(first.inbox), try #require(second.inbox))
        #expect(inbox.hasPrefix("_INBOX.") && inbox != other)
        #expect(inbox.utf8.count - "_INBOX.".utf8.count >= 16, "96 bits at six bits a character")
        #expect(throws: Never.self) { try Subject(inbox + ".1") }
    }

    @Test(arguments: ["sub", "unsub", "pub", "pong", "msg", "nonsense"])
    func `C6 before connect everything but connect, ping and bye is auth_required`(op: String) {
        let client = CoreHarness().accept()
        _ = client.take()
        client.send("{\"op\":\"\(op)\",\"sid\":1,\"subject\":\"a\"}")
        #expect(client.log() == ["err auth_required!"])
        #expect(client.isEnded)
    }

    @Test func `C6 before connect a ping is answered and bye closes`() {
        let client = CoreHarness().accept()
        _ = client.take()
        client.send(#"{"op":"ping","t":"x"}"#)
        #expect(client.log() == [#"pong "x""#])
        client.send(#"{"op":"bye","why":"x"}"#)
        #expect(client.log() == [] && client.isEnded)
    }

    @Test func `C6 every error before the ok of connect is fatal`() {
        for header in [#"{"op":"connect","v":"1"}"#, "{}", #"{"op":"ping","t":null}"#] {
            let client = CoreHarness().accept()
            _ = client.take()
            client.send(header)
            #expect(client.log() == ["err bad_member!"], "\(header)")
            #expect(client.isEnded)
        }
    }

    @Test func `C2 before connect headers end at 4096 bytes and there are no bodies`() {
        let padded = { (count: Int) in Self.connect + String(repeating: " ", count: count - Self.connect.utf8.count) }
        let fits = CoreHarness().accept()
        fits.send(padded(4096))
        #expect(fits.log() == ["hello", "ok connect"])
        let tooLong = CoreHarness().accept()
        tooLong.send(padded(4097))
        #expect(tooLong.log() == ["hello", "err header_too_large!"])
        let withBody = CoreHarness().accept()
        withBody.send(Self.connect, body: [1])
        #expect(withBody.log() == ["hello", "err body_too_large!"])
    }

    @Test func `frames sent together with connect are handled after it`() {
        let harness = CoreHarness()
        let client = harness.accept()
        var bytes: [UInt8] = []
        ConnectMessage(name: "n", ver: "1").encode(into: &bytes)
        let big = [UInt8](repeating: 1, count: 5000)
        client.send { output in
            output = bytes
            SubMessage(sid: 1, subject: try! SubjectPattern("a"), seq: 1).encode(into: &output)  // A literal subject.
            try! PubMessage(subject: try! Subject("a"), seq: 2, body: big).encode(into: &output)  // A literal subject.
        }
        #expect(client.log() == ["hello", "ok connect", "ok sub 1", "msg 1 a", "ok pub 2 delivered=1"])
    }

    @Test func `C6 a second connect is a fatal protocol_state`() {
        let client = CoreHarness().client()
        client.send(Self.connect)
        #expect(client.log() == ["err protocol_state!"] && client.isEnded)
    }

    @Test func `C6 no connect within two seconds is auth_timeout`() {
        let harness = CoreHarness()
        let client = harness.accept()
        harness.advance(.milliseconds(1900))
        #expect(client.log() == ["hello"])
        harness.advance(.milliseconds(100))
        #expect(client.log() == ["err auth_timeout!"] && client.isEnded)
    }

    @Test func `C5 the authentication matrix`() {
        let harness = CoreHarness(authenticator: .token("s3cret"))
        for (connect, expected) in [
            (Self.connect(token: "s3cret"), "ok connect"), (Self.connect(token: "s3creT"), "err auth_failed!"),
            (Self.connect(token: ""), "err auth_failed!"), (Self.connect(token: "s3cret2"), "err auth_failed!"),
            (Self.connect, "err auth_failed!"), (Self.connect.replacing("none", with: "magic"), "err auth_failed!"),
        ] {
            let client = harness.accept()
            guard case .hello(let hello)? = client.messages().first else { continue }
            #expect(hello.auth == ["token"])
            client.send(connect)
            #expect(client.log() == [expected], "\(connect)")
        }
        let open = CoreHarness().accept()
        open.send(Self.connect(token: "whatever"))
        #expect(open.log() == ["hello", "ok connect"], "an open broker ignores credentials, as nats-server does")
    }

    @Test func `another version is refused`() {
        let client = CoreHarness().accept()
        client.send(Self.connect.replacing("\"v\":\"1\"", with: "\"v\":\"2\""))
        #expect(client.log() == ["hello", "err version!"] && client.isEnded)
    }

    @Test func `one connection too many is refused with a reason, and a place becomes free again`() {
        var limits = BrokerLimits()
        limits.connections = 2
        let harness = CoreHarness(limits: limits)
        let (first, second) = (harness.client(), harness.client())
        let third = harness.accept()
        #expect(third.log() == ["hello", "err too_many_conns!"] && third.isEnded)
        harness.disconnect(third.cid)
        harness.disconnect(first.cid)
        #expect(!harness.client().inbox.isEmpty && !second.isEnded)
    }

    @Test func `connections that have not signed in keep nobody out: the oldest gives way`() {
        var limits = BrokerLimits()
        limits.connections = 3
        let harness = CoreHarness(limits: limits)
        let service = harness.client()
        let strangers = (0..<5).map { _ in harness.accept() }
        // Reading what was sent flushes it.
        let last = strangers.map { $0.log().last }
        #expect(last == Array(repeating: "err too_many_conns!", count: 3) + ["hello", "hello"])
        #expect(strangers.map(\.isEnded) == [true, true, true, false, false])
        let next = harness.client()
        #expect(!service.isEnded && !next.isEnded && strangers[3].isEnded)
    }

    @Test func `C30 the same instance again replaces the older connection before its own ok`() {
        let harness = CoreHarness()
        let older = harness.client("a", instance: "i1")
        older.sub(1, "work", queue: "q")
        let newer = harness.client("b", instance: "i1")
        #expect(older.log() == ["err replaced!"] && older.isEnded)
        newer.pub("work", more: ",\"seq\":1")
        #expect(newer.log() == ["ok pub 1 delivered=0"], "the older one takes no more work")
        let other = harness.client("c", instance: "i2")
        #expect(!newer.isEnded && !other.isEnded)
    }

    @Test func `C3 HTTP gets 426 and TLS gets nothing`() {
        let harness = CoreHarness()
        let http = harness.accept()
        http.harness.receive(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), on: http.cid)
        let answer = String(decoding: harness.raw[http.cid] ?? [], as: UTF8.self)
        #expect(answer.contains("HTTP/1.1 426 Upgrade Required\r\n") && http.isEnded)
        let tls = harness.accept()
        harness.receive([0x16, 3, 1, 2, 0], on: tls.cid)
        #expect(tls.log() == ["hello"] && tls.isEnded)
        #expect(harness.events.contains(.foreignGreeting(cid: tls.cid, peer: "127.0.0.1:5000", what: "TLS")))
        let noise = harness.accept()
        harness.receive([0xFF], on: noise.cid)
        #expect(noise.log() == ["hello", "err bad_frame!"])
    }
}
