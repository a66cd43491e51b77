import BusProtocol
import Foundation
import StorebusTesting
import Testing

/// Goal: the scanner answers for any bytes and never accepts what is not JSON. Method: seeded mutations of good
/// headers, with Foundation's parser as the oracle.
@Suite struct HeaderFuzzTests {
    private static let corpus = [
        #"{"op":"pub","subject":"a.b.c","reply":"_INBOX.x.1","key":"k","headers":{"traceparent":"00-ab","e":""},"seq":12}"#,
        #"{"op":"sub","sid":7,"subject":"sb.catalog.v1.>","queue":"q","max":3,"overflow":"drop","seq":1}"#,
        #"{"op":"connect","v":"1","name":"näme","lang":"\u00e9\ud83d\ude00","ver":"1","auth":{"method":"none","x":[1,-2.5e3,null]}}"#,
        #"{ "op" : "ping" , "t" : true }"#, #"{"op":"unsub","sid":9007199254740991}"#,
    ]
    private static let spice = Array(#"{}[]":,\u0eE+-.tfn 19"#.utf8) + [0, 0x1F, 0x80, 0xC3, 0xED, 0xFF]

    @Test func `mutated headers are never misread`() {
        var random = SplitMix64.seeded()
        var accepted = 0
        for round in 0..<40_000 {
            var bytes = Array(Self.corpus[round % Self.corpus.count].utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&bytes, &random) }
            guard let header = try? FrameHeader(scanning: bytes.span) else { continue }
            accepted += 1
            // The oracle refuses numbers that no Double holds, though their grammar is JSON's.
            if String(decoding: bytes, as: UTF8.self).contains(/[0-9][eE][+-]?[0-9]{3,}/) { continue }
            let oracle = try? JSONSerialization.jsonObject(with: Data(bytes))
            #expect(oracle is [String: Any], "\(String(decoding: bytes, as: UTF8.self))")
            _ = try? ClientMessage(header, in: bytes.span, bodyCount: 0)
            _ = try? ServerMessage(bytes.span)
        }
        #expect(accepted > 1000, "the mutations are not all hopeless")
    }

    @Test func `mutated streams end in frames or in a refusal`() {
        var random = SplitMix64.seeded()
        for round in 0..<20_000 {
            var bytes = Self.corpus.flatMap { FrameBytes.frame($0, body: [1, 2, 3]) }
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
            var decoder = FrameDecoder(limits: round % 2 == 0 ? .connected : .beforeConnect)
            let cut = Int.random(in: 0...bytes.count, using: &random)
            var total = 0
            for part in [bytes[..<cut], bytes[cut...]] {
                guard let frames = try? decoder.frames(from: Array(part)) else { break }
                total += frames.reduce(0) { $0 + 8 + $1.header.utf8.count + $1.body.count }
            }
            // Repaired UTF-8 may be longer than what arrived, at most three bytes for one.
            #expect(total <= bytes.count * 3)
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
        guard !bytes.isEmpty else { return bytes.append(0x7B) }
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[at] = Self.spice.randomElement(using: &random) ?? 0
        case 1: bytes.insert(Self.spice.randomElement(using: &random) ?? 0, at: at)
        case 2: bytes.remove(at: at)
        default:
            let end = min(bytes.count, at + Int.random(in: 1...12, using: &random))
            bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &random))
        }
    }
}
