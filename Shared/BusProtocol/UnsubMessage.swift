/// `unsub`: a client ends a subscription, immediately or after `max` deliveries. Without `max` its `ok` is a barrier:
/// no `msg` for that sid follows.
///
/// `{"op":"unsub","sid":7,"seq":2}`
package struct UnsubMessage: Sendable, Equatable {
    /// The subscription, as its `sub` numbered it.
    package var sid: Int
    /// Deliveries since `sub` after which it ends. Nil or 0 ends it immediately.
    package var max: Int?
    /// A number that the broker's `ok` or `err` repeats.
    package var seq: Int?
}

extension UnsubMessage {
    private static let members = MemberSet(.op, .sid, .max, .seq)

    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        guard header.hasOnly(Self.members) else { throw BusViolation(.badHeader, "'unsub' has an unknown member") }
        sid = try header.integer(.sid, in: bytes, range: 1...BusLimits.integerMax)
        max = try header.optionalInteger(.max, in: bytes)
        seq = try header.optionalInteger(.seq, in: bytes)
    }

    /// Writes the frame.
    package func encode(into output: inout [UInt8]) {
        let frame = FrameWriter(.unsub, into: &output)
        frame.member(.sid, sid, into: &output)
        frame.member(.max, max, into: &output)
        frame.member(.seq, seq, into: &output)
        frame.finish(into: &output)
    }
}
