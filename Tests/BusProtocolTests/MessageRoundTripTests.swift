import BusProtocol
import Testing

/// Goal: what one side encodes the other decodes, for every op of both directions.
@Suite struct MessageRoundTripTests {
    private func server(_ encode: (inout [UInt8]) -> Void) throws -> (message: ServerMessage, body: [UInt8]) {
        var bytes: [UInt8] = []
        encode(&bytes)
        var decoder = FrameDecoder(limits: .fromBroker)
        let frames = try decoder.frames(from: bytes)
        #expect(frames.count == 1 && !decoder.isMidFrame)
        return (try ServerMessage(frames[0].header.utf8.span), frames[0].body)
    }

    private func client(_ encode: (inout [UInt8]) throws -> Void) throws -> (ClientMessage, String) {
        var bytes: [UInt8] = []
        try encode(&bytes)
        var decoder = FrameDecoder(limits: .connected)
        let frame = try decoder.frames(from: bytes)[0]
        let span = frame.header.utf8.span
        return (try ClientMessage(FrameHeader(scanning: span), in: span, bodyCount: frame.body.count), frame.header)
    }

    @Test func `the broker's messages come back as they were`() throws {
        let hello = HelloMessage(
            id: "B1", name: "broker", ver: "0.1", cid: 3, auth: ["none", "token"], time: 1_795_232_400_000)
        #expect(try server { hello.encode(into: &$0) }.message == .hello(hello))
        let signedIn = OkMessage(re: .connect, seq: 1, user: "u", inbox: "_INBOX.x", pingMilliseconds: 2000)
        #expect(try server { signedIn.encode(into: &$0) }.message == .ok(signedIn))
        let published = OkMessage(re: .pub, seq: 9, delivered: 0)
        #expect(try server { published.encode(into: &$0) }.message == .ok(published))
        let error = ErrMessage(.dupSid, "sid 7 \"is\" in use\n", re: .sub, seq: 2, sid: 7, subject: "a.>")
        #expect(try server { error.encode(into: &$0) }.message == .err(error))
        #expect(try server { ControlFrame.ping(t: 4, into: &$0) }.message == .ping(t: Array("4".utf8)))
        #expect(
            try server { ControlFrame.pong(echoing: Array("\"x\"".utf8), into: &$0) }.message
                == .pong(t: Array("\"x\"".utf8)))
        #expect(try server { ControlFrame.bye(why: "stop", into: &$0) }.message == .bye(why: "stop"))
        guard
            case .drain(let drain) = try server({ ControlFrame.drain(inMilliseconds: 900, why: "w", into: &$0) })
                .message
        else { throw BusViolation(.internalError, "no drain") }
        #expect(drain.inMilliseconds == 900 && drain.why == "w")
    }

    @Test func `a delivery keeps headers and body to the byte`() throws {
        let body: [UInt8] = [0, 255, 10, 34, 92]
        let headers: BusHeaders = ["traceparent": "00-a", "Sb-Actor": "c:\"q\":ü\\", "e": ""]
        let message = MsgMessage(sid: 8, subject: "a.b", reply: "_INBOX.x.1", key: "k\"", headers: headers, status: 503)
        let decoded = try server { message.encode(body: body.span, into: &$0) }
        #expect(decoded.message == .msg(message))
        #expect(decoded.body == body)
    }

    @Test func `the client's messages come back as they were`() throws {
        let connect = ConnectMessage(
            name: "n\"", ver: "1", inst: "i", auth: .token("s3cret\\"), echo: false, pingMilliseconds: 2000, seq: 1)
        guard case .connect(let connected) = try client({ connect.encode(into: &$0) }).0 else { throw Mismatch() }
        #expect(connected == connect)
        let sub = SubMessage(
            sid: 7, subject: try SubjectPattern("a.*.>"), queue: try QueueName("q"), max: 3, overflow: .drop, seq: 2)
        guard case .sub(let subscribed) = try client({ sub.encode(into: &$0) }).0 else { throw Mismatch() }
        #expect(subscribed == sub)
        let unsub = UnsubMessage(sid: 7, max: 0, seq: 5)
        guard case .unsub(let unsubscribed) = try client({ unsub.encode(into: &$0) }).0 else { throw Mismatch() }
        #expect(unsubscribed == unsub)
    }

    @Test func `splicing a publish gives what re-encoding gives`() throws {
        let publish = PubMessage(
            subject: try Subject("a.b"), reply: try Subject("_INBOX.x.1"), key: "k\"ü", headers: ["h": "v\"\\"], seq: 4,
            body: [1, 2])
        let (message, header) = try client { try publish.encode(into: &$0) }
        guard case .pub(let parsed) = message else { throw Mismatch() }
        var tail = DeliveryTail()
        tail.take(parsed, from: header.utf8.span)
        var spliced: [UInt8] = []
        tail.write(sid: 12, body: publish.body.span, into: &spliced)
        var encoded: [UInt8] = []
        MsgMessage(sid: 12, subject: "a.b", reply: "_INBOX.x.1", key: "k\"ü", headers: ["h": "v\"\\"])
            .encode(body: publish.body.span, into: &encoded)
        #expect(spliced == encoded)
    }

    @Test func `a delivery is never longer than its publish by more than the slack`() throws {
        let publish = PubMessage(subject: try Subject("a"))
        let (message, header) = try client { try publish.encode(into: &$0) }
        guard case .pub(let parsed) = message else { throw Mismatch() }
        var tail = DeliveryTail()
        tail.take(parsed, from: header.utf8.span)
        var bytes: [UInt8] = []
        let length = tail.write(sid: BusLimits.integerMax, body: Span(), into: &bytes)
        #expect(length - BusLimits.prefixBytes - header.utf8.count <= BusLimits.deliveryHeaderSlackBytes)
    }

    @Test func `a client refuses to send what the bus would not carry`() throws {
        let subject = try Subject("a")
        func refusal(_ message: PubMessage) -> BusErrorCode? {
            var bytes: [UInt8] = [9]
            do throws(BusViolation) { try message.encode(into: &bytes) } catch {
                #expect(bytes == [9], "nothing half-written")
                return error.code
            }
            return nil
        }
        let fits = BusLimits.messageBytesMax - #"{"op":"pub","subject":"a"}"#.utf8.count
        #expect(refusal(PubMessage(subject: subject, body: [UInt8](repeating: 0, count: fits))) == nil)
        #expect(refusal(PubMessage(subject: subject, body: [UInt8](repeating: 0, count: fits + 1))) == .bodyTooLarge)
        #expect(refusal(PubMessage(subject: subject, headers: ["a": "x\r\ny"])) == .badMember)
        #expect(refusal(PubMessage(subject: subject, headers: ["a": "x\0y"])) == .badMember)
        #expect(
            refusal(PubMessage(subject: subject, headers: ["a": String(repeating: "v", count: 9000)]))
                == .headerTooLarge)
        #expect(refusal(PubMessage(subject: subject, key: String(repeating: "k", count: 129))) == .badMember)
        var many = BusHeaders()
        for index in 0..<33 { many["h\(index)"] = "" }
        #expect(refusal(PubMessage(subject: subject, headers: many)) == .badMember)
    }

    @Test func `unknown members and ops of a newer broker are ignored`() throws {
        #expect(try ServerMessage(#"{"op":"gossip","x":[1.5]}"#.utf8.span) == .unknown)
        let ok = try ServerMessage(#"{"op":"ok","re":"sub","seq":1,"extra":{"a":null}}"#.utf8.span)
        #expect(ok == .ok(OkMessage(re: .sub, seq: 1)))
        let error = try ServerMessage(
            #"{"op":"err","code":"brand_new","num":499,"message":"m","fatal":false}"#.utf8.span)
        guard case .err(let unknown) = error else { throw Mismatch() }
        #expect(unknown.known == nil && !unknown.fatal && unknown.num == 499)
    }

    struct Mismatch: Error {}
}
