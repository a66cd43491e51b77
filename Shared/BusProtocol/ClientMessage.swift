/// A client's message, decoded and checked as far as one frame alone can be.
package enum ClientMessage: Sendable {
    case connect(ConnectMessage)
    case sub(SubMessage)
    case unsub(UnsubMessage)
    case pub(PublishHeader)
    /// `t` as it stood, to be echoed.
    case ping(t: [UInt8]?)
    case pong
    case bye(why: String)
}

extension ClientMessage {
    /// Decodes a scanned header.
    ///
    /// - Parameters:
    ///   - bodyCount: Length of the frame's body. Only `pub` may have one.
    /// - Throws: `bad_frame` for a body where none may be. `bad_header`, `bad_member`, `bad_subject` or `bad_queue` for
    ///   faults of members. `version` for another version.
    package init(_ header: FrameHeader, in bytes: Span<UInt8>, bodyCount: Int) throws(BusViolation) {
        if header.op != .pub && bodyCount > 0 {
            throw BusViolation(.badFrame, "only 'pub' may have a body")
        }
        switch try Self.checkedOp(header, in: bytes) {
        case .pub: self = .pub(try PublishHeader(header, in: bytes))
        case .sub: self = .sub(try SubMessage(header, in: bytes))
        case .unsub: self = .unsub(try UnsubMessage(header, in: bytes))
        case .connect: self = .connect(try ConnectMessage(header, in: bytes))
        case .ping: self = .ping(t: try header.echo(in: bytes))
        case .pong: self = .pong
        case .bye: self = .bye(why: try header.optionalText(.why, in: bytes) ?? "")
        case .hello, .ok, .msg, .drain, .err:
            throw BusViolation(.badHeader, "this op is sent by the broker only")
        }
    }

    private static func checkedOp(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) -> BusOp {
        if let op = header.op { return op }
        switch header[.op].kind {
        case .absent: throw FrameHeader.missing(.op)
        case .string: throw BusViolation(.badHeader, "'\(header[.op].text(in: bytes).prefix(32))' is not an op")
        default: throw FrameHeader.wrong(.op, "a string")
        }
    }
}

extension FrameHeader {
    /// The raw value of `t`.
    ///
    /// - Throws: `bad_member` when it is not a string, integer or boolean.
    func echo(in bytes: Span<UInt8>) throws(BusViolation) -> [UInt8]? {
        let value = self[.t]
        var raw: [UInt8] = []
        switch value.kind {
        case .absent: return nil
        case .string: raw.append(bytes.extracting((value.range.lowerBound - 1)..<(value.range.upperBound + 1)))
        case .integer, .yes, .no: raw.append(bytes.extracting(value.range))
        default: throw Self.wrong(.t, "a string, an integer or a boolean")
        }
        return raw
    }
}
