import BusProtocol
import StorebusTesting
import Testing

@testable import Broker

/// Goal: what a stranger's client sends, as bytes: how a stream is cut, what is too long, which headers are refused and
/// how, and that nothing is lost on the way from `pub` to `msg`.
@Suite struct FrameCaseTests {
    private func frame(_ header: [UInt8], body: [UInt8] = []) -> [UInt8] {
        let length = { (value: Int, bytes: Int) in
            (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        return [0] + length(header.count, 3) + length(body.count, 4) + header + body
    }

    private func prefix(header: Int, body: Int, flags: UInt8 = 0) -> [UInt8] {
        [flags] + [16, 8, 0].map { UInt8(truncatingIfNeeded: header >> $0) }
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: body >> $0) }
    }

    @Test func `C1 a stream cut in two at every byte means the same`() {
        let stream =
            frame(Array(#"{"op":"sub","sid":1,"subject":"a.*","seq":1}"#.utf8))
            + frame(
                Array(#"{"op":"pub","subject":"a.b","seq":2,"key":"k","headers":{"h":"v"}}"#.utf8), body: [0, 1, 2])
            + frame(Array(#"{"op":"ping","t":3}"#.utf8))
        for cut in 0...stream.count {
            let harness = CoreHarness()
            let client = harness.client()
            harness.receive(Array(stream[..<cut]), on: client.cid)
            harness.receive(Array(stream[cut...]), on: client.cid)
            #expect(client.log() == ["ok sub 1", "msg 1 a.b", "ok pub 2 delivered=1", "pong 3"], "cut at \(cut)")
        }
    }

    @Test func `C2 lengths are refused at the prefix, before anything is sent for them`() {
        for (bytes, code) in [
            (prefix(header: 8193, body: 0), "header_too_large"),
            (prefix(header: 0xFF_FFFF, body: 0), "header_too_large"),
            (prefix(header: 30, body: 1 << 20 + 1), "body_too_large"),
            (prefix(header: 30, body: 0xFFFF_FFFF), "body_too_large"),
            (prefix(header: 0, body: 0), "bad_frame"), (prefix(header: 1, body: 0), "bad_frame"),
        ] {
            let harness = CoreHarness()
            let client = harness.client()
            harness.receive(bytes, on: client.cid)
            #expect(client.log() == ["err \(code)!"] && client.isEnded)
        }
    }

    @Test func `C2 a header and a body of exactly the limit are taken`() {
        let client = CoreHarness().client()
        let core = #"{"op":"pub","subject":"a","seq":1}"#
        client.sub(1, "a")
        client.send(
            core + String(repeating: " ", count: 8192 - core.utf8.count), body: [UInt8](repeating: 1, count: 1 << 20))
        let received = client.take()
        #expect(received.map(\.message.short) == ["msg 1 a", "ok pub 1 delivered=1"])
        #expect(received[0].body.count == 1 << 20)
    }

    @Test(arguments: [1, 0x16, 0x47, 0x80, 0xFF] as [UInt8])
    func `C3 any flag ends the connection`(flags: UInt8) {
        let harness = CoreHarness()
        let client = harness.client()
        harness.receive(prefix(header: 13, body: 0, flags: flags), on: client.cid)
        #expect(client.log() == ["err bad_frame!"] && client.isEnded)
    }

    @Test(arguments: [
        (#"{"op":"pub","subject":"a","subject":"b"}"#, "bad_frame!"),
        (#"{"op":"pub","subject":"a","\u0073ubject":"b"}"#, "bad_frame!"),
        (#"{"op":"pub","subject":"a","headers":{"h":"1","h":"2"}}"#, "bad_frame!"),
        (#"{"op":"pub","subject":"a","x":{"y":1,"y":2}}"#, "bad_frame!"),
        (#"{"op":"pub","subject":"a",}"#, "bad_frame!"), (#"{"op":"pub","subject":"a"}x"#, "bad_frame!"),
        (#"["op","pub"]"#, "bad_frame!"), ("\u{FEFF}{\"op\":\"ping\"}", "bad_frame!"),
        ("{\"op\":\"pub\",\"subject\":\"a\",\"key\":\"\u{0}\"}", "bad_frame!"),
        (#"{"op":"pub","subject":"a","key":"\u0000"}"#, "bad_frame!"),
        (#"{"op":"pub","subject":"a","key":"\ud800"}"#, "bad_frame!"),
        (#"{"op":"pub","seq":01,"subject":"a"}"#, "bad_frame!"),
        (#"{"op":"pub","subject":"\u0061"}"#, "bad_header"),
        (#"{"op":"pub","subject":"a","reply":"\/"}"#, "bad_header"),
        (#"{"op":"sub","sid":1,"subject":"a\/b"}"#, "bad_header"),
        (#"{"op":"sub","sid":1,"subject":"a","queue":"\u0071"}"#, "bad_header"),
        (#"{"op":"publish","subject":"a"}"#, "bad_header"), (#"{"op":"msg","sid":1,"subject":"a"}"#, "bad_header"),
        (#"{"op":"pub"}"#, "bad_member"), (#"{"op":"pub","subject":1}"#, "bad_member"),
        (#"{"op":"pub","subject":null}"#, "bad_member"), (#"{"op":"pub","subject":"a","seq":1.0}"#, "bad_member"),
        (#"{"op":"pub","subject":"a","seq":1e2}"#, "bad_member"),
        (#"{"op":"pub","subject":"a","seq":-1}"#, "bad_member"),
        (#"{"op":"pub","subject":"a","seq":9007199254740992}"#, "bad_member"),
        (#"{"op":"sub","sid":0,"subject":"a"}"#, "bad_member"), (#"{"op":"sub","subject":"a"}"#, "bad_member"),
        (#"{"op":"sub","sid":1,"subject":"a","overflow":"x"}"#, "bad_member"), (#"{}"#, "bad_member"),
        (#"{"op":7}"#, "bad_member"), (#"{"op":"pub","subject":"a","headers":{"h":1}}"#, "bad_member"),
        (#"{"op":"pub","subject":"a","headers":[]}"#, "bad_member"),
        (#"{"op":"pub","subject":"a.*"}"#, "bad_subject"), (#"{"op":"pub","subject":"a","reply":">"}"#, "bad_subject"),
        (#"{"op":"pub","subject":""}"#, "bad_subject"), (#"{"op":"pub","subject":"a..b"}"#, "bad_subject"),
        (#"{"op":"pub","subject":"ä"}"#, "bad_subject"), (#"{"op":"sub","sid":1,"subject":"a.>.b"}"#, "bad_subject"),
        (#"{"op":"sub","sid":1,"subject":"a*"}"#, "bad_subject"),
        (#"{"op":"sub","sid":1,"subject":"a","queue":"a.b"}"#, "bad_queue"),
        (#"{"op":"sub","sid":1,"subject":"a","queue":""}"#, "bad_queue"),
    ])
    func `C4 each mistake has its code, and only malformed frames end the connection`(header: String, code: String) {
        let client = CoreHarness().client()
        client.send(header)
        client.send(#"{"op":"ping","t":1}"#)
        #expect(client.log() == (code.hasSuffix("!") ? ["err \(code)"] : ["err \(code)", "pong 1"]), "\(header)")
    }

    @Test func `C4 bytes that are not UTF-8 and bodies where none belong end the connection`() {
        for bytes in [
            frame(Array(#"{"op":"pub","subject":"a","key":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)),
            frame(Array(#"{"op":"ping"}"#.utf8), body: [1]), frame(Array(#"{"op":"nothing"}"#.utf8), body: [1]),
        ] {
            let harness = CoreHarness()
            let client = harness.client()
            harness.receive(bytes, on: client.cid)
            #expect(client.log() == ["err bad_frame!"])
        }
    }

    @Test func `C4 numbers reach to 2^53-1, keys to 128 bytes, subjects to 16 tokens and 255 bytes`() {
        let client = CoreHarness().client()
        let subject = { (tokens: Int) in (0..<tokens).map { _ in "a" }.joined(separator: ".") }
        client.pub("a", more: ",\"seq\":9007199254740991")
        client.pub("a", more: ",\"seq\":1,\"key\":\"\(String(repeating: "k", count: 128))\"")
        client.pub("a", more: ",\"seq\":2,\"key\":\"\(String(repeating: "k", count: 129))\"")
        client.pub("a", more: ",\"seq\":3,\"key\":\"\(String(repeating: "\\u0061", count: 128))\"")
        client.pub(subject(16), more: ",\"seq\":4")
        client.pub(subject(17), more: ",\"seq\":5")
        client.pub(String(repeating: "a", count: 255), more: ",\"seq\":6")
        client.pub(String(repeating: "a", count: 256), more: ",\"seq\":7")
        client.sub(9_007_199_254_740_991, "a", queue: String(repeating: "q", count: 64), more: ",\"seq\":8")
        client.sub(2, "a", queue: String(repeating: "q", count: 65), more: ",\"seq\":9")
        #expect(
            client.log() == [
                "ok pub 9007199254740991 delivered=0", "ok pub 1 delivered=0", "err bad_member 2",
                "ok pub 3 delivered=0", "ok pub 4 delivered=0", "err bad_subject 5", "ok pub 6 delivered=0",
                "err bad_subject 7", "ok sub 8", "err bad_queue 9",
            ])
    }

    @Test func `C4 an error says what it answers, and that the frame had no effect`() {
        let client = CoreHarness().client()
        client.sub(1, "a")
        client.send(#"{"op":"sub","sid":1,"subject":"b","seq":5}"#)
        client.send(#"{"op":"pub","subject":"a","x":0}"#, body: [UInt8](repeating: 7, count: 100_000))
        client.pub("$JS.a")
        client.pub("b")
        client.pub("a", body: [1])
        let received = client.take()
        let errors = received.compactMap { if case .err(let error) = $0.message { error } else { nil } }
        #expect(errors.map(\.code) == ["dup_sid", "bad_header", "reserved"] && errors.map(\.num) == [409, 400, 422])
        #expect(errors[0].re == "sub" && errors[0].seq == 5 && errors[0].sid == 1 && errors[1].seq == nil)
        #expect(errors[2].subject == "$JS.a" && errors.allSatisfy { !$0.fatal })
        #expect(received.last?.message.short == "msg 1 a" && received.last?.body == [1] && received.count == 4)
    }

    @Test func `C7 a spliced msg says what a re-encoded pub would`() throws {
        var random = SplitMix64.seeded()
        let space = { (random: inout SplitMix64) in
            ["", " ", "\t", "\n", "\r\n "].randomElement(using: &random) ?? ""
        }
        let texts = [
            ("plain", "plain"), ("é", "é"), (#"\u00e9\n"#, "é\n"), (#"\"\\\/"#, "\"\\/"), (#"\ud83d\ude00"#, "😀"),
            ("", ""),
        ]
        for step in 0..<500 {
            let client = CoreHarness().client()
            client.sub(1, "a.>")
            let key = try #require(texts.randomElement(using: &random))
            let value = try #require(texts.randomElement(using: &random))
            var members = [#""op":"pub""#, #""subject":"a.b""#, "\"seq\":\(step)"]
            var expected = MsgMessage(sid: 1, subject: "a.b")
            if Bool.random(using: &random) { members.append(#""reply":"r.1""#); expected.reply = "r.1" }
            if Bool.random(using: &random) { members.append("\"key\":\"\(key.0)\""); expected.key = key.1 }
            if Bool.random(using: &random) {
                members.append("\"headers\":{\(space(&random))\"h\" :\"\(value.0)\",\"g\":\"\"}")
                expected.headers = ["h": value.1, "g": ""]
            }
            let blanks = space(&random)
            client.send(
                "\(blanks){\(blanks)"
                    + "\(members.shuffled(using: &random).joined(separator: "\(blanks),"))\(blanks)}\(blanks)",
                body: [9])
            guard case .msg(let message)? = client.messages().first else { return #expect(Bool(false), "no msg") }
            #expect(message == expected)
        }
    }

    @Test func `C8 unknown members are refused on sub, unsub and pub, and ignored on connect`() {
        let harness = CoreHarness()
        let client = harness.accept()
        client.send(
            #"{"op":"connect","v":"1","name":"n","lang":"l","ver":"1","#
                + #""auth":{"method":"none","more":[1,null]},"later":{"a":[{}]}}"#
        )
        client.send(#"{"op":"sub","sid":1,"subject":"a","x":1,"seq":1}"#)
        client.send(#"{"op":"unsub","sid":1,"subject":"a","seq":2}"#)
        client.send(#"{"op":"pub","subject":"a","sid":1,"seq":3}"#)
        client.send(#"{"op":"ping","t":4}"#)
        #expect(
            client.log() == [
                "hello", "ok connect", "err bad_header 1", "err bad_header 2", "err bad_header 3", "pong 4",
            ])
    }

    @Test(arguments: [
        ("a", "a", true), ("a", "b", false), ("a", "a.b", false), ("a.b", "a", false), ("*", "a", true),
        ("*", "a.b", false), ("*.*", "a.b", true), ("a.*", "a.b", true), ("a.*", "a", false), ("a.*", "a.b.c", false),
        ("*.b", "a.b", true), ("a.*.c", "a.b.c", true), ("a.*.c", "a.b.d", false), (">", "a", true),
        (">", "a.b.c", true), ("a.>", "a.b", true), ("a.>", "a.b.c", true), ("a.>", "a", false), ("a.>", "b.a", false),
        ("*.>", "a.b", true), ("*.>", "a", false), ("a.*.>", "a.b.c", true), ("a.*.>", "a.b", false),
        ("A", "a", false), (">", "$SRV.a", false), ("*.a", "$SRV.a", false), ("$SRV.>", "$SRV.a", true),
        ("$SRV.*", "$SRV.a", true), ("a-b_c=1:/@+~!%&#", "a-b_c=1:/@+~!%&#", true),
    ])
    func `C10 the wildcard table`(pattern: String, subject: String, isMatch: Bool) {
        let client = CoreHarness().client()
        client.sub(1, pattern)
        client.sub(2, pattern, queue: "q")
        client.pub(subject, more: ",\"seq\":1")
        let log = client.log()
        #expect(log.last == "ok pub 1 delivered=\(isMatch ? 2 : 0)", "\(pattern) \(subject)")
    }

    @Test func `C18 headers arrive in any number to 32, in any text, and one more is refused`() throws {
        let client = CoreHarness().client()
        client.sub(1, "a")
        let entries = { (count: Int) in
            "{" + (0..<count).map { "\"Name-\($0)\":\"värde \($0) 😀\"" }.joined(separator: ",") + "}"
        }
        for count in [0, 1, 32] {
            client.send("{\"op\":\"pub\",\"subject\":\"a\",\"headers\":\(entries(count))}")
            guard case .msg(let message)? = client.messages().first else { return #expect(Bool(false), "no msg") }
            #expect(message.headers.count == count)
            for number in 0..<count { #expect(message.headers["Name-\(number)"] == "värde \(number) 😀") }
        }
        client.send("{\"op\":\"pub\",\"subject\":\"a\",\"headers\":\(entries(33)),\"seq\":1}")
        #expect(client.log() == ["err bad_member 1"])
    }

    @Test func `C34 a hundred frozen subscribers stay under the cap, and the publisher is not slowed`() {
        var limits = BrokerLimits()
        limits.totalPendingBytes = 1 << 20
        let harness = CoreHarness(limits: limits)
        let frozen = (0..<100).map { _ in harness.client("frozen") }
        let (publisher, healthy) = (harness.client(), harness.client())
        for client in frozen {
            client.sub(1, "news")
            harness.heldBack[client.cid] = 0
        }
        healthy.sub(1, "news")
        for number in 1...200 {
            publisher.pub("news", more: ",\"seq\":\(number)", body: [UInt8](repeating: 0, count: 1000))
            harness.core.shedLargest()
            #expect(harness.core.totalPendingBytes <= limits.totalPendingBytes)
        }
        #expect(publisher.take().count == 200 && healthy.take().count == 200 && !healthy.isEnded)
        #expect(harness.core.counters.slowConsumers > 0 && frozen.contains { harness.endings[$0.cid] == .now })
    }
}
