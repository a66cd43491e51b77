import BusProtocol
import StorebusTesting
import Testing

/// Goal: the same frames come out however the stream is cut, and nothing too large is ever kept.
@Suite struct FrameDecoderTests {
    private static let sample: [DecodedFrame] = [
        DecodedFrame(header: #"{"op":"ping"}"#, body: []),
        DecodedFrame(header: #"{"op":"pub","subject":"a"}"#, body: Array("hello".utf8)),
        DecodedFrame(header: "{}", body: [0, 0, 0]),
        DecodedFrame(header: #"{"op":"pub","subject":"b"}"#, body: [UInt8](repeating: 7, count: 300)),
    ]
    private static let stream = sample.flatMap { FrameBytes.frame($0.header, body: $0.body) }

    @Test func `the example of the protocol page is written to the byte`() throws {
        var bytes: [UInt8] = []
        let subject = try SubjectPattern("sb.catalog.v1.>")
        SubMessage(sid: 7, subject: subject, queue: try QueueName("q")).encode(into: &bytes)
        let text = #"{"op":"sub","sid":7,"subject":"sb.catalog.v1.>","queue":"q"}"#
        #expect(bytes == [0, 0, 0, 0x3C, 0, 0, 0, 0] + Array(text.utf8))
    }

    @Test func `frames survive a cut at every byte`() throws {
        for cut in 0...Self.stream.count {
            var decoder = FrameDecoder(limits: .connected)
            let first = try decoder.frames(from: Array(Self.stream[..<cut]))
            let rest = try decoder.frames(from: Array(Self.stream[cut...]))
            #expect(first + rest == Self.sample, "cut at \(cut)")
            #expect(!decoder.isMidFrame)
        }
    }

    @Test func `frames survive one byte at a time`() throws {
        var decoder = FrameDecoder(limits: .connected)
        var found: [DecodedFrame] = []
        for byte in Self.stream { found += try decoder.frames(from: [byte]) }
        #expect(found == Self.sample)
    }

    @Test func `frames survive random cuts`() throws {
        var random = SplitMix64.seeded()
        for _ in 0..<300 {
            var decoder = FrameDecoder(limits: .connected)
            var found: [DecodedFrame] = []
            var rest = Self.stream[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(rest.count, 90), using: &random)
                found += try decoder.frames(from: Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            #expect(found == Self.sample)
        }
    }

    @Test func `an unfinished frame shows, a finished one does not`() throws {
        var decoder = FrameDecoder(limits: .connected)
        #expect(!decoder.isMidFrame)
        _ = try decoder.frames(from: [0])
        #expect(decoder.isMidFrame)
        _ = try decoder.frames(from: [0, 0, 2, 0, 0, 0, 0, 0x7B])
        #expect(decoder.isMidFrame)
        #expect(try decoder.frames(from: [0x7D]) == [DecodedFrame(header: "{}", body: [])])
        #expect(!decoder.isMidFrame)
    }

    @Test(arguments: [
        ([1] as [UInt8], BusErrorCode.badFrame), ([0x47], .badFrame), ([0x16], .badFrame), ([0, 0, 0, 1], .badFrame),
        ([0, 0, 0, 0], .badFrame), ([0, 0, 0x20, 1], .headerTooLarge), ([0, 0xFF, 0xFF, 0xFF], .headerTooLarge),
        ([0, 0, 0, 2, 0, 0x10, 0, 1], .bodyTooLarge), ([0, 0, 0, 2, 0xFF, 0xFF, 0xFF, 0xFF], .bodyTooLarge),
    ])
    func `a bad prefix is refused before anything follows it`(prefix: [UInt8], code: BusErrorCode) {
        var whole = FrameDecoder(limits: .connected)
        #expect(throws: BusViolation.self) { try whole.frames(from: prefix) }
        var single = FrameDecoder(limits: .connected)
        var refusal: BusViolation?
        for byte in prefix where refusal == nil {
            do throws(BusViolation) { _ = try single.frames(from: [byte]) } catch { refusal = error }
        }
        #expect(refusal?.code == code)
    }

    @Test func `the limits are taken to the byte`() throws {
        var decoder = FrameDecoder(limits: .connected)
        let header = "{" + String(repeating: " ", count: BusLimits.headerBytesMax - 2) + "}"
        let body = [UInt8](repeating: 1, count: BusLimits.bodyBytesMax)
        #expect(try decoder.frames(from: FrameBytes.frame(header, body: body)).first?.body.count == body.count)
        var early = FrameDecoder(limits: .beforeConnect)
        _ = try early.frames(from: FrameBytes.prefix(header: 4096, body: 0))
        var tooEarly = FrameDecoder(limits: .beforeConnect)
        #expect(throws: BusViolation.self) { try tooEarly.frames(from: FrameBytes.prefix(header: 4097, body: 0)) }
        var withBody = FrameDecoder(limits: .beforeConnect)
        #expect(throws: BusViolation.self) { try withBody.frames(from: FrameBytes.prefix(header: 2, body: 1)) }
    }

    @Test func `limits raised after a frame hold for the next one in the same read`() throws {
        var decoder = FrameDecoder(limits: .beforeConnect)
        let bytes = FrameBytes.frame("{}") + FrameBytes.frame("{}", body: [1, 2, 3])
        var bodies: [Int] = []
        try decoder.decode(bytes.span) { _, body in
            bodies.append(body.count)
            return .proceedWith(.connected)
        }
        #expect(bodies == [0, 3])
    }

    @Test func `a stopped decoder hands out nothing more`() throws {
        var decoder = FrameDecoder(limits: .connected)
        var frames = 0
        try decoder.decode(Self.stream.span) { _, _ in
            frames += 1
            return .stop
        }
        #expect(frames == 1)
    }
}
