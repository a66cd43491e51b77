/// `pub` as the broker sees it: the checked positions of its members. Nothing is copied, because the same bytes are
/// sent again.
///
/// `{"op":"pub","subject":"sb.payment.v1.queue.add","reply":"_INBOX.x.1","headers":{"Sb-Timeout":"4800"}}` · body
package struct PublishHeader: Sendable {
    /// The position of the subject's text, without quotes.
    package var subject: Range<Int>
    /// The position of the reply subject's text. Nil for an event.
    package var reply: Range<Int>?
    /// The key's place. Its `isEscaped` is false when its bytes are its text.
    package var key: HeaderValue?
    /// The whole object, braces included.
    package var headers: Range<Int>?
    /// Nil when the client wants no acknowledgement.
    package var seq: Int?
    /// The position of the members that go into every delivery, from `,"subject":…`. Nil unless they are contiguous and
    /// in the order of deliveries.
    package var spliced: Range<Int>?
}

extension PublishHeader {
    private static let members = MemberSet(.op, .subject, .reply, .key, .headers, .seq)

    /// Checks a scanned header.
    ///
    /// - Throws: `bad_header`, `bad_member`, `bad_subject`.
    package init(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) {
        guard header.hasOnly(Self.members) else { throw BusViolation(.badHeader, "'pub' has an unknown member") }
        guard let subject = try header.routing(.subject) else { throw FrameHeader.missing(.subject) }
        reply = try header.routing(.reply)
        headers = try header.checkedHeaders()
        seq = try header.optionalInteger(.seq, in: bytes)
        key = try Self.key(header, in: bytes)
        guard SubjectSyntax.isSubject(bytes.extracting(subject)) else {
            throw BusViolation(.badSubject, "'subject' is not a subject")
        }
        if let reply, !SubjectSyntax.isSubject(bytes.extracting(reply)) {
            throw BusViolation(.badSubject, "'reply' is not a subject")
        }
        self.subject = subject
    }

    private static func key(_ header: FrameHeader, in bytes: Span<UInt8>) throws(BusViolation) -> HeaderValue? {
        let value = header[.key]
        guard value.kind != .absent else { return nil }
        guard value.kind == .string else { throw FrameHeader.wrong(.key, "a string") }
        let count = value.isEscaped ? value.utf8(in: bytes).count : value.range.count
        guard count <= BusLimits.keyBytesMax else {
            throw FrameHeader.wrong(.key, "a string of at most \(BusLimits.keyBytesMax) bytes")
        }
        return value
    }
}
