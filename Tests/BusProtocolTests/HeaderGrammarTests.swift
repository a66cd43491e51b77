import BusProtocol
import Testing

/// Goal: every rule of the header grammar, with the code it is refused with.
@Suite struct HeaderGrammarTests {
    /// Decodes as the broker does.
    private func decode(_ header: [UInt8], bodyCount: Int = 0) throws(BusViolation) -> ClientMessage {
        try ClientMessage(FrameHeader(scanning: header.span), in: header.span, bodyCount: bodyCount)
    }

    private func refusal(_ header: String, bodyCount: Int = 0) -> BusErrorCode? {
        refusal(Array(header.utf8), bodyCount: bodyCount)
    }

    private func refusal(_ header: [UInt8], bodyCount: Int = 0) -> BusErrorCode? {
        do throws(BusViolation) { _ = try decode(header, bodyCount: bodyCount) } catch { return error.code }
        return nil
    }

    @Test(arguments: [
        "", "{", "}", "[]", "1", #""a""#, "null", "{}}", "{} x", #"{"op"}"#, #"{"op":}"#, #"{"op":"pub",}"#,
        #"{,"op":"pub"}"#, #"{"op" "pub"}"#, #"{'op':'pub'}"#, #"{"op":"pub" "subject":"a"}"#, #"{"op":pub}"#,
        #"{"op":"pub","seq":01}"#, #"{"op":"pub","seq":+1}"#, #"{"op":"pub","seq":1.}"#, #"{"op":"pub","seq":.5}"#,
        #"{"op":"pub","seq":1e}"#, #"{"op":"pub","seq":-}"#, #"{"op":"pub","seq":NaN}"#, #"{"op":"pub","seq":tru}"#,
        #"{"op":"a\"#, #"{"op":"\x"}"#, #"{"op":"\u12"}"#, #"{"op":"\ud800"}"#, #"{"op":"\udc00"}"#,
        #"{"op":"\ud800A"}"#, "{\"op\":\"a\tb\"}", "{\"op\":\"a\nb\"}",
        #"{"op":"pub","headers":{"a":"b",}}"#, #"{"op":"pub","headers":["a",]}"#, #"{"op":"pub","headers":{"a"}}"#,
    ])
    func `what is not JSON is a bad frame`(header: String) {
        #expect(refusal(header) == .badFrame)
    }

    @Test(arguments: [
        #"{"op":"pub","op":"pub"}"#, #"{"op":"pub","subject":"a","subject":"b"}"#, #"{"op":"pub","\u006fp":"pub"}"#,
        #"{"op":"pub","subject":"a","headers":{"x":"1","x":"2"}}"#,
        #"{"op":"pub","subject":"a","headers":{"x":"1","\u0078":"2"}}"#, #"{"op":"connect","z":1,"z":2}"#,
        #"{"op":"connect","z":{"a":{"b":1,"b":1}}}"#, #"{"op":"connect","auth":{"method":"none","method":"none"}}"#,
    ])
    func `a duplicate member is a bad frame at every depth`(header: String) {
        #expect(refusal(header) == .badFrame)
    }

    @Test(arguments: HeaderMember.allCases)
    func `each member has a place of its own in a header`(_ member: HeaderMember) throws {
        let bytes = Array(#"{"\#(member.wireName)":1}"#.utf8)
        let header = try FrameHeader(scanning: bytes.span)
        #expect(header[member].kind == .integer)
        #expect(!header.hasUnknownMember)
    }

    @Test func `a duplicate among very many members is found`() {
        let many = (0..<500).map { "\"k\($0)\":\"\"" }.joined(separator: ",")
        #expect(refusal("{\"op\":\"pub\",\"subject\":\"a\",\"headers\":{\(many)}}") == .badMember)
        #expect(refusal("{\"op\":\"pub\",\"subject\":\"a\",\"headers\":{\(many),\"k499\":\"\"}}") == .badFrame)
        #expect(refusal("{\"op\":\"pub\",\"subject\":\"a\",\"headers\":{\(many),\"k0\":\"\"}}") == .badFrame)
    }

    @Test func `NUL, a byte order mark and broken UTF-8 are bad frames`() {
        #expect(refusal(#"{"op":"ping","t":"\u0000"}"#) == .badFrame)
        #expect(refusal(Array("{\"op\":\"pi\0ng\"}".utf8)) == .badFrame)
        #expect(refusal([0xEF, 0xBB, 0xBF] + Array(#"{"op":"ping"}"#.utf8)) == .badFrame)
        let broken: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
            [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1],
        ]
        for bytes in broken {
            let header = Array(#"{"op":"ping","t":""#.utf8) + bytes + Array(#""}"#.utf8)
            #expect(refusal(header) == .badFrame, "\(bytes)")
        }
    }

    @Test func `nesting has an end`() {
        let deep = { (depth: Int) in
            #"{"op":"ping","x":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
        }
        #expect(refusal(deep(20)) == nil)
        #expect(refusal(deep(2000)) == .badFrame)
    }

    @Test(arguments: ["sub", "unsub", "connect", "ping", "pong", "bye", "nonsense"])
    func `a body on anything but pub is a bad frame`(op: String) {
        #expect(refusal("{\"op\":\"\(op)\",\"sid\":1}", bodyCount: 1) == .badFrame)
        #expect(refusal(#"{"op":"pub","subject":"a"}"#, bodyCount: 1) == nil)
    }

    @Test(arguments: [
        #"{"op":"nonsense"}"#, #"{"op":"msg","sid":1,"subject":"a"}"#, #"{"op":"hello"}"#,
        #"{"op":"PUB","subject":"a"}"#,
        #"{"op":"pub","subject":"a","x":1}"#, #"{"op":"pub","subject":"a","status":503}"#,
        #"{"op":"pub","subject":"a","sid":1}"#, #"{"op":"sub","sid":1,"subject":"a","reply":"b"}"#,
        #"{"op":"sub","sid":1,"subject":"a","key":"b"}"#, #"{"op":"unsub","sid":1,"subject":"a"}"#,
        #"{"op":"pub","subject":"\u0061"}"#, #"{"op":"pub","subject":"a","reply":"b\/c"}"#,
        #"{"op":"sub","sid":1,"subject":"a\u002eb"}"#, #"{"op":"sub","sid":1,"subject":"a","queue":"\u0071"}"#,
    ])
    func `an unknown op or member, or an escape in a routing member, is a bad header`(header: String) {
        #expect(refusal(header) == .badHeader)
    }

    @Test(arguments: [
        "{}", #"{"op":1}"#, #"{"op":null}"#, #"{"op":"pub"}"#, #"{"op":"pub","subject":1}"#,
        #"{"op":"pub","subject":null}"#, #"{"op":"pub","subject":"a","seq":1.0}"#,
        #"{"op":"pub","subject":"a","seq":1e3}"#, #"{"op":"pub","subject":"a","seq":-1}"#,
        #"{"op":"pub","subject":"a","seq":9007199254740992}"#, #"{"op":"pub","subject":"a","seq":"1"}"#,
        #"{"op":"pub","subject":"a","seq":99999999999999999999999999}"#, #"{"op":"pub","subject":"a","key":7}"#,
        #"{"op":"pub","subject":"a","reply":false}"#, #"{"op":"pub","subject":"a","headers":[]}"#,
        #"{"op":"pub","subject":"a","headers":{"a":1}}"#, #"{"op":"pub","subject":"a","headers":null}"#,
        #"{"op":"sub","subject":"a"}"#, #"{"op":"sub","sid":0,"subject":"a"}"#, #"{"op":"sub","sid":1}"#,
        #"{"op":"sub","sid":true,"subject":"a"}"#, #"{"op":"sub","sid":1,"subject":"a","max":1.5}"#,
        #"{"op":"sub","sid":1,"subject":"a","overflow":"block"}"#, #"{"op":"unsub"}"#,
        #"{"op":"unsub","sid":1,"max":-1}"#, #"{"op":"ping","t":1.5}"#, #"{"op":"ping","t":{}}"#,
        #"{"op":"connect","name":"a","lang":"b","ver":"c","auth":{"method":"none"}}"#,
        #"{"op":"connect","v":"1","lang":"b","ver":"c","auth":{"method":"none"}}"#,
        #"{"op":"connect","v":"1","name":"a","lang":"b","ver":"c"}"#,
        #"{"op":"connect","v":"1","name":"a","lang":"b","ver":"c","auth":"none"}"#,
        #"{"op":"connect","v":"1","name":"a","lang":"b","ver":"c","auth":{}}"#,
        #"{"op":"connect","v":"1","name":"a","lang":"b","ver":"c","auth":{"method":"token"}}"#,
        #"{"op":"connect","v":"1","name":"a","lang":"b","ver":"c","auth":{"method":"none"},"ping_ms":999}"#,
        #"{"op":"connect","v":"1","name":"a","lang":"b","ver":"c","auth":{"method":"none"},"ping_ms":600001}"#,
        #"{"op":"connect","v":"1","name":"a","lang":"b","ver":"c","auth":{"method":"none"},"echo":1}"#,
    ])
    func `a missing, mistyped or out-of-range member is a bad member`(header: String) {
        #expect(refusal(header) == .badMember)
    }

    @Test func `lengths are taken to the byte`() {
        let key = { (count: Int) in
            #"{"op":"pub","subject":"a","key":""# + String(repeating: "k", count: count) + #""}"#
        }
        #expect(refusal(key(128)) == nil)
        #expect(refusal(key(129)) == .badMember)
        let escaped = #"{"op":"pub","subject":"a","key":""# + String(repeating: #"\u0061"#, count: 128) + #""}"#
        #expect(refusal(escaped) == nil, "128 characters, however they are written")
        let headers = { (count: Int) in
            let all = (0..<count).map { "\"h\($0)\":\"v\"" }.joined(separator: ",")
            return "{\"op\":\"pub\",\"subject\":\"a\",\"headers\":{\(all)}}"
        }
        #expect(refusal(headers(32)) == nil)
        #expect(refusal(headers(33)) == .badMember)
        let name = { (count: Int) in
            let text = String(repeating: "n", count: count)
            return
                "{\"op\":\"connect\",\"v\":\"1\",\"name\":\"\(text)\",\"lang\":\"\",\"ver\":\"\",\"auth\":{\"method\":\"none\"}}"
        }
        #expect(refusal(name(64)) == nil)
        #expect(refusal(name(65)) == .badMember)
        #expect(refusal(#"{"op":"pub","subject":"a","seq":9007199254740991}"#) == nil)
    }

    @Test(arguments: [
        ("pub", "subject", "a..b", BusErrorCode.badSubject), ("pub", "subject", "a.*", .badSubject),
        ("pub", "subject", "a.>", .badSubject), ("pub", "subject", "", .badSubject),
        ("pub", "subject", "a b", .badSubject),
        ("pub", "subject", "ä", .badSubject), ("pub", "reply", "a.*", .badSubject),
        ("sub", "subject", ">.a", .badSubject),
        ("sub", "queue", "", .badQueue), ("sub", "queue", "a.b", .badQueue), ("sub", "queue", "*", .badQueue),
    ])
    func `illegal subjects and queue names have their own codes`(
        op: String, member: String, value: String, code: BusErrorCode
    ) {
        let subject = member == "subject" ? "" : #","subject":"a""#
        let sid = op == "sub" ? #","sid":1"# : ""
        #expect(refusal("{\"op\":\"\(op)\"\(sid)\(subject),\"\(member)\":\"\(value)\"}") == code)
    }

    @Test func `another version is refused as such`() {
        let connect = #"{"op":"connect","v":"2","name":"a","lang":"b","ver":"c","auth":{"method":"none"}}"#
        #expect(refusal(connect) == .version)
    }

    @Test func `whitespace, any order of members and unknown members of connect are legal`() throws {
        let spaced = " \t\r\n{ \"seq\" : 4 , \"subject\"\n:\t\"a.b\" , \"op\" : \"pub\" } \n"
        guard case .pub(let publish) = try decode(Array(spaced.utf8)) else {
            throw BusViolation(.internalError, "no pub")
        }
        #expect(publish.seq == 4)
        #expect(Array(spaced.utf8)[publish.subject] == ArraySlice("a.b".utf8))
        let connect =
            #"{"x":[1.5,null,{"y":true}],"op":"connect","v":"1","name":"n","lang":"l","ver":"v","#
            + #""auth":{"method":"none","z":1},"subject":7}"#
        guard case .connect(let message) = try decode(Array(connect.utf8)) else {
            throw BusViolation(.internalError, "no connect")
        }
        #expect(message == ConnectMessage(name: "n", lang: "l", ver: "v"))
    }

    @Test func `an escaped op or member name means the same`() throws {
        guard case .ping(let t?) = try decode(Array(#"{"\u006fp":"\u0070ing","t":"\ud83d\ude00"}"#.utf8)) else {
            throw BusViolation(.internalError, "no ping")
        }
        #expect(t == Array(#""\ud83d\ude00""#.utf8), "echoed as it stood")
    }
}
