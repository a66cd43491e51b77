extension PublishHeader {
    /// Length of `{"op":"pub","subject":"`.
    private static var openingBytes: Int { 23 }
    /// Length of `{"op":"pub"`, which a delivery replaces.
    private static var opBytes: Int { 11 }

    /// Reads a legal `pub` in the canonical spelling, in one pass. That spelling has no whitespace, the members in the
    /// order `op`, `subject`, `reply`, `key`, `headers`, `seq`, and a key without escapes or bytes beyond ASCII. The
    /// clients in this repository write it so, and any client may.
    ///
    /// Nil for every other header, legal or not: `FrameHeader` parses those and reports their errors. This parser
    /// throws no errors, and `FrameHeader` accepts every header it accepts with the same result.
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
