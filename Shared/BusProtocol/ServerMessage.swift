/// A decoded message of a broker. The body of a `msg` stays in the frame.
package enum ServerMessage: Sendable, Equatable {
    case hello(HelloMessage)
    case ok(OkMessage)
    case msg(MsgMessage)
    /// `t` as it stood, to be echoed.
    case ping(t: [UInt8]?)
    /// `t` as it was in the client's ping.
    case pong(t: [UInt8]?)
    case drain(DrainMessage)
    case err(ErrMessage)
    case bye(why: String)
    /// An op of a newer broker, which clients ignore.
    case unknown
}

extension ServerMessage {
    /// Decodes a header, and ignores unknown members.
    ///
    /// - Throws: `bad_frame`, `bad_header` or `bad_member` when the broker breaks the protocol. A client closes then.
    package init(_ bytes: Span<UInt8>) throws(BusViolation) {
        let header = try FrameHeader(scanning: bytes)
        switch header.op {
        case .msg?: self = .msg(try MsgMessage(header, in: bytes))
        case .ok?: self = .ok(try OkMessage(header, in: bytes))
        case .hello?: self = .hello(try HelloMessage(header, in: bytes))
        case .ping?: self = .ping(t: try header.echo(in: bytes))
        case .pong?: self = .pong(t: try header.echo(in: bytes))
        case .drain?: self = .drain(try DrainMessage(header, in: bytes))
        case .err?: self = .err(try ErrMessage(header, in: bytes))
        case .bye?: self = .bye(why: try header.optionalText(.why, in: bytes) ?? "")
        case .connect?, .sub?, .unsub?, .pub?:
            throw BusViolation(.badHeader, "the broker sent an op that only clients send")
        case nil:
            guard header[.op].kind == .string else { throw FrameHeader.missing(.op) }
            self = .unknown
        }
    }
}

/// `drain`: the broker is about to stop. All ops stay legal. Within `inMilliseconds` it says `bye`.
///
/// `{"op":"drain","in_ms":5000,"why":"shutting down"}`
package struct DrainMessage: Sendable, Equatable {
    /// Milliseconds until the broker says `bye`, at most.
    package var inMilliseconds: Int
    /// A reason for people, such as `shutting down`.
    package var why: String

    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        inMilliseconds = try header.integer(.inMilliseconds, in: bytes)
        why = try header.optionalText(.why, in: bytes) ?? ""
    }
}
