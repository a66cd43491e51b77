import BusProtocol

@testable import Broker

/// A stream of bytes into the frame decoder: however it is cut, the same frames come out and the same refusal, and the
/// frames are what arrived.
///
/// Input: four bytes that seed the cuts, then the stream.
enum FrameTarget {
    /// What a decoder made of a stream.
    private struct Outcome: Equatable {
        var headers: [[UInt8]] = []
        var bodies: [[UInt8]] = []
        var refusal: BusErrorCode?
        var isMidFrame = false
    }

    static func run(_ input: [UInt8]) -> CInt {
        guard input.count > 4 else { return 0 }
        let stream = Array(input.dropFirst(4))
        let limits: FrameLimits = input[0] & 1 == 0 ? .connected : .beforeConnect
        var random = BrokerGenerator(seed: input.prefix(4).reduce(0) { $0 << 8 | UInt64($1) })
        let whole = decode([stream[...]], limits)
        let cut = decode(pieces(of: stream, &random), limits)
        FuzzInput.require(whole == cut, "a stream that is cut decodes as the whole: \(whole) and \(cut)")
        checkBytes(whole, stream, limits)
        for (header, body) in zip(whole.headers, whole.bodies) { read(header, body) }
        return 0
    }

    /// Signing in raises the limits after the first frame, as the broker does.
    private static func decode(_ pieces: [ArraySlice<UInt8>], _ limits: FrameLimits) -> Outcome {
        var decoder = FrameDecoder(limits: limits)
        var outcome = Outcome()
        do throws(BusViolation) {
            for piece in pieces {
                try decoder.decode(piece.span) { header, body in
                    outcome.headers.append(header.withUnsafeBufferPointer(Array.init))
                    outcome.bodies.append(body.withUnsafeBufferPointer(Array.init))
                    return outcome.headers.count == 1 ? .proceedWith(.connected) : .proceed
                }
            }
            outcome.isMidFrame = decoder.isMidFrame
        } catch {
            outcome.refusal = error.code
        }
        return outcome
    }

    private static func pieces(of stream: [UInt8], _ random: inout BrokerGenerator) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = stream[...]
        let longest = Int.random(in: 1...64, using: &random)
        while !rest.isEmpty {
            let count = Int.random(in: 1...min(longest, rest.count), using: &random)
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    /// Written again, the frames are the beginning of the stream; without a refusal nothing but an unfinished frame is
    /// left of it.
    private static func checkBytes(_ outcome: Outcome, _ stream: [UInt8], _ limits: FrameLimits) {
        var again: [UInt8] = []
        for (header, body) in zip(outcome.headers, outcome.bodies) {
            again.append(0)
            for shift in [16, 8, 0] { again.append(UInt8(truncatingIfNeeded: header.count >> shift)) }
            for shift in [24, 16, 8, 0] { again.append(UInt8(truncatingIfNeeded: body.count >> shift)) }
            again += header + body
        }
        FuzzInput.require(stream.starts(with: again), "the frames are what arrived")
        guard outcome.refusal == nil else { return }
        FuzzInput.require(outcome.isMidFrame == (again.count < stream.count), "what is left is an unfinished frame")
    }

    /// No frame that comes out may stop either side's reader.
    private static func read(_ header: [UInt8], _ body: [UInt8]) {
        _ = try? ServerMessage(header.span)
        guard let scanned = try? FrameHeader(scanning: header.span) else { return }
        _ = try? ClientMessage(scanned, in: header.span, bodyCount: body.count)
    }
}
