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

extension PublishHeader {
    /// Length of `{"op":"pub","subject":"`.
    private static var openingBytes: Int { 23 }
    /// Length of `{"op":"pub"`, which a delivery replaces.
    private static var opBytes: Int { 11 }

    /// Reads a legal `pub` in the canonical spelling, in one pass. That spelling has no whitespace, the members in the
    /// order `op`, `subject`, `reply`, `key`, `headers`, `seq`, and a key without escapes or bytes beyond ASCII. The
    /// clients in this repository write it so, and any client may.
    ///
    /// Nil for every other header. `FrameHeader` parses those, and reports the errors of illegal ones. It also accepts
    /// each header that this parser accepts, with the same result.
    package init?(canonical bytes: Span<UInt8>) {
        guard bytes.starts(with: #"{"op":"pub","subject":""#),
            let subject = Self.quotedSubject(bytes, Self.openingBytes)
        else { return nil }
        self.subject = subject
        var at = subject.upperBound + 1
        if at + 1 < bytes.count, bytes.holds(#","reply":""#, at: at) {
            guard let reply = Self.quotedSubject(bytes, at + 10) else { return nil }
            self.reply = reply
            at = reply.upperBound + 1
        }
        guard takeRest(bytes, &at) else { return nil }
    }

    /// Reads `key`, `headers`, `seq` and the end. False for any other spelling.
    private mutating func takeRest(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
        if at == bytes.count - 1 {
            spliced = Self.opBytes..<at
            return bytes[at] == UInt8(ascii: "}")
        }
        if bytes.holds(#","key":""#, at: at) {
            guard let key = Self.plainKey(bytes, at + 8) else { return false }
            self.key = key
            at = key.range.upperBound + 1
        }
        if bytes.holds(#","headers":{"#, at: at) {
            guard let headers = Self.headers(bytes, at + 11) else { return false }
            self.headers = headers
            at = headers.upperBound
        }
        spliced = Self.opBytes..<at
        if bytes.holds(#","seq":"#, at: at) {
            var scanner = HeaderScanner(at: at + 7)
            guard let value = try? scanner.value(bytes, depth: 1), value.kind == .integer else { return false }
            seq = value.integer(in: bytes)
            at = scanner.at
        }
        return at == bytes.count - 1 && bytes[at] == UInt8(ascii: "}")
    }

    /// The subject that begins at `start` and ends at a quote.
    private static func quotedSubject(_ bytes: Span<UInt8>, _ start: Int) -> Range<Int>? {
        guard let end = SubjectSyntax.subjectEnd(bytes, start), end < bytes.count, bytes[end] == UInt8(ascii: "\"")
        else { return nil }
        return start..<end
    }

    private static func plainKey(_ bytes: Span<UInt8>, _ start: Int) -> HeaderValue? {
        var at = start
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            guard (0x20..<0x7F).contains(bytes[at]), bytes[at] != UInt8(ascii: "\\") else { return nil }
            at += 1
        }
        guard at < bytes.count, at - start <= BusLimits.keyBytesMax else { return nil }
        return HeaderValue(.string, start..<at)
    }

    /// The object of at most 32 strings that begins at `start`. The strict scanner reads it.
    private static func headers(_ bytes: Span<UInt8>, _ start: Int) -> Range<Int>? {
        var scanner = HeaderScanner(at: start)
        guard let found = try? scanner.objectOfMembers(bytes, depth: 1), found.areStrings,
            found.count <= BusLimits.headersMax
        else { return nil }
        return start..<scanner.at
    }
}
