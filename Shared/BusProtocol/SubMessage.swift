/// `sub`: a client subscribes.
///
/// `{"op":"sub","sid":7,"subject":"sb.catalog.v1.>","queue":"q","seq":1}`
package struct SubMessage: Sendable, Equatable {
    /// The fate of messages for this subscription while its connection is over the soft limit.
    package enum Overflow: String, Sendable {
        /// They queue up, and past the hard limit the connection is closed.
        case close
        /// They are dropped and counted.
        case drop
    }

    /// Chosen by the client, from 1.
    package var sid: Int
    /// The subjects that the subscription receives.
    package var subject: SubjectPattern
    /// The queue group. One member of it gets each message. Nil without a group.
    package var queue: QueueName?
    /// The subscription ends after this many deliveries.
    package var max: Int?
    /// `close` unless the client asks for `drop`.
    package var overflow: Overflow = .close
    /// A number that the broker's `ok` or `err` repeats.
    package var seq: Int?
}

extension SubMessage {
    private static let members = MemberSet(.op, .sid, .subject, .queue, .max, .overflow, .seq)

    init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        guard header.hasOnly(Self.members) else { throw BusViolation(.badHeader, "'sub' has an unknown member") }
        sid = try header.integer(.sid, in: bytes, range: 1...BusLimits.integerMax)
        guard let subjectRange = try header.routing(.subject) else { throw FrameHeader.missing(.subject) }
        let queueRange = try header.routing(.queue)
        max = try header.optionalInteger(.max, in: bytes, range: 1...BusLimits.integerMax)
        guard let overflow = Overflow(rawValue: try header.optionalText(.overflow, in: bytes) ?? "close") else {
            throw FrameHeader.wrong(.overflow, "\"close\" or \"drop\"")
        }
        self.overflow = overflow
        seq = try header.optionalInteger(.seq, in: bytes)
        subject = try SubjectPattern(bytes.extracting(subjectRange).text)
        queue = nil
        if let queueRange { queue = try QueueName(bytes.extracting(queueRange).text) }
    }

    /// Writes the frame.
    package func encode(into output: inout [UInt8]) {
        let frame = FrameWriter(.sub, into: &output)
        frame.member(.sid, sid, into: &output)
        frame.member(.subject, subject.text, into: &output)
        frame.member(.queue, queue?.text, into: &output)
        frame.member(.max, max, into: &output)
        if overflow == .drop { frame.member(.overflow, "drop", into: &output) }
        frame.member(.seq, seq, into: &output)
        frame.finish(into: &output)
    }
}
