import BusProtocol

/// Frames written by hand, so that tests do not check the encoders against themselves.
enum FrameBytes {
    /// A frame with a prefix that fits.
    static func frame(_ header: String, body: [UInt8] = []) -> [UInt8] {
        prefix(header: header.utf8.count, body: body.count) + Array(header.utf8) + body
    }

    /// The eight bytes before a header.
    static func prefix(flags: UInt8 = 0, header: Int, body: Int) -> [UInt8] {
        [flags] + bigEndian(header, bytes: 3) + bigEndian(body, bytes: 4)
    }

    private static func bigEndian(_ value: Int, bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// A frame that came out of a decoder.
struct DecodedFrame: Equatable {
    var header: String
    var body: [UInt8]
}

extension FrameDecoder {
    /// Feeds bytes and collects the frames.
    mutating func frames(from bytes: [UInt8]) throws(BusViolation) -> [DecodedFrame] {
        var found: [DecodedFrame] = []
        try decode(bytes.span) { header, body in
            found.append(DecodedFrame(header: header.text, body: body.withUnsafeBufferPointer(Array.init)))
            return .proceed
        }
        return found
    }
}
