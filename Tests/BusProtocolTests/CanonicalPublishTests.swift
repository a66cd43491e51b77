import StorebusTesting
import Testing

@testable import BusProtocol

/// Goal: the one-pass reader of `pub` agrees with the scanner on every header.
@Suite struct CanonicalPublishTests {
    @Test func `the canonical spelling is read in one pass`() throws {
        let text = #"{"op":"pub","subject":"a.b","reply":"_INBOX.x.1","key":"k","headers":{"h":"v\n"},"seq":4}"#
        let publish = try #require(Self.canonical(text))
        let spliced = try #require(publish.spliced)
        #expect(
            String(decoding: Array(text.utf8)[spliced], as: UTF8.self)
                == #","subject":"a.b","reply":"_INBOX.x.1","key":"k","headers":{"h":"v\n"}"#)
        #expect(publish.seq == 4)
        #expect(Self.canonical(#"{"op":"pub","subject":"a"}"#)?.reply == nil)
    }

    @Test(arguments: [
        #"{"op":"pub","subject":"a"} "#, #"{"op":"pub", "subject":"a"}"#, #"{"subject":"a","op":"pub"}"#,
        #"{"op":"pub","subject":"a","subject":"b"}"#, #"{"op":"pub","subject":"a","reply":"b","reply":"c"}"#,
        #"{"op":"pub","subject":"a..b"}"#, #"{"op":"pub","subject":"a.*"}"#, #"{"op":"pub","subject":""}"#,
        #"{"op":"pub","subject":"a\u0062"}"#, #"{"op":"pub","subject":"a","status":503}"#,
        #"{"op":"pub","subject":"a","key":"\n"}"#, #"{"op":"pub","subject":"a","headers":{"a":1}}"#,
        #"{"op":"pub","subject":"a","headers":{"a":"1","a":"2"}}"#, #"{"op":"pub","subject":"a","seq":-1}"#,
        #"{"op":"pub","subject":"a","seq":1,"reply":"b"}"#, #"{"op":"pub","subject":"a","seq":1"#,
        #"{"op":"pub","subject":"a"#, #"{"op":"pub","subject":"a","reply":"b""#, "{}",
    ])
    func `every other spelling is left to the scanner`(_ header: String) {
        #expect(Self.canonical(header) == nil)
    }

    @Test func `the scanner reads the same as the single pass accepts`() throws {
        var random = SplitMix64.seeded()
        var accepted = 0
        for _ in 0..<20_000 {
            let header = Self.header(&random)
            guard let publish = PublishHeader(canonical: header.span) else { continue }
            accepted += 1
            let scanned = try PublishHeader(try FrameHeader(scanning: header.span), in: header.span)
            #expect(publish.subject == scanned.subject && publish.reply == scanned.reply)
            #expect(publish.headers == scanned.headers && publish.seq == scanned.seq)
            #expect(publish.key?.range == scanned.key?.range && publish.key?.isEscaped == scanned.key?.isEscaped)
            var tail = DeliveryTail()
            tail.take(scanned, from: header.span)
            let spliced = try #require(publish.spliced)
            #expect(Array(header[spliced]) == tail.members, "\(String(decoding: header, as: UTF8.self))")
        }
        #expect(accepted > 1000, "the headers must be close to what is accepted")
    }

    private static func canonical(_ text: String) -> PublishHeader? { PublishHeader(canonical: text.utf8.span) }

    /// Makes a legal header with random members. In half of the cases a byte is changed, removed or doubled.
    private static func header(_ random: inout SplitMix64) -> [UInt8] {
        var text = #"{"op":"pub","subject":"sb.a\#(Int.random(in: 0...9, using: &random)).b""#
        if Bool.random(using: &random) { text += #","reply":"_INBOX.q.7""# }
        if Bool.random(using: &random) { text += #","key":"k y""# }
        if Bool.random(using: &random) { text += #","headers":{"a":"b","c":"\u00e9ü"}"# }
        if Bool.random(using: &random) { text += #","seq":\#(Int.random(in: 0...9999, using: &random))"# }
        var bytes = Array((text + "}").utf8)
        guard Bool.random(using: &random) else { return bytes }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(bytes[index], at: index)
        }
        return bytes
    }
}
