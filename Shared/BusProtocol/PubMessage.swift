/// `pub` as a client sends it.
package struct PubMessage: Sendable, Equatable {
    /// A literal subject. Wildcards are for subscriptions only.
    package var subject: Subject
    /// The subject for an answer, which makes it a request.
    package var reply: Subject?
    /// Messages with the same key go to the same member of a queue group. At most 128 bytes.
    package var key: String?
    /// At most 32 entries.
    package var headers: BusHeaders = BusHeaders()
    /// With it the broker answers `ok` with `delivered`, or `err`.
    package var seq: Int?
    /// JSON unless a `Content-Type` header says otherwise. It arrives byte for byte.
    package var body: [UInt8] = []

    /// Writes the frame, or nothing when it throws.
    ///
    /// - Throws: `bad_member` for more than 32 headers, headers that hold CR, LF or NUL, or a key over 128 bytes.
    ///   `header_too_large`, or `body_too_large` when header and body together are over 1 MiB − 16 KiB.
    package func encode(into output: inout [UInt8]) throws(BusViolation) {
        try headers.checkForSending()
        if let key, key.utf8.count > BusLimits.keyBytesMax {
            throw BusViolation(.badMember, "a key has at most \(BusLimits.keyBytesMax) bytes")
        }
        let start = output.count
        let frame = FrameWriter(.pub, into: &output)
        frame.member(.subject, subject.text, into: &output)
        frame.member(.reply, reply?.text, into: &output)
        frame.member(.key, key, into: &output)
        frame.member(.headers, headers, into: &output)
        frame.member(.seq, seq, into: &output)
        let headerBytes = frame.finish(body: body.span, into: &output)
        if let violation = Self.violation(headerBytes: headerBytes, bodyBytes: body.count) {
            output.removeSubrange(start...)
            throw violation
        }
    }

    private static func violation(headerBytes: Int, bodyBytes: Int) -> BusViolation? {
        if headerBytes > BusLimits.headerBytesMax {
            return BusViolation(
                .headerTooLarge, "the header has \(headerBytes) bytes; \(BusLimits.headerBytesMax) are allowed")
        }
        if headerBytes + bodyBytes > BusLimits.messageBytesMax {
            return BusViolation(
                .bodyTooLarge,
                "header and body have \(headerBytes + bodyBytes) bytes; \(BusLimits.messageBytesMax) are allowed")
        }
        return nil
    }
}
