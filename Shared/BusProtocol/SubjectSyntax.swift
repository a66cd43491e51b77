/// The grammar of subjects, patterns and queue names, on bytes.
///
/// A subject is 1–16 tokens joined by `.`, at most 255 bytes. A token is one or more of
/// `A-Z a-z 0-9 _ - $ = : / @ + ~ ! % & #`. A pattern may have `*` as a whole token and `>` as the whole last one.
package enum SubjectSyntax {
    /// Whether the bytes may be published to.
    package static func isSubject(_ bytes: Span<UInt8>) -> Bool { subjectEnd(bytes, 0) == bytes.count }

    /// The end of the subject that begins at `start`. It is the first byte that no subject contains, or nil without a
    /// subject.
    package static func subjectEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { subjectEnd($0, start) }
    }

    private static func subjectEnd(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
        precondition(start >= 0)
        var at = start
        var tokenStart = start
        var tokens = 1
        // A buffer's elements are not checked in a release build; the condition of the loop is the check.
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: ".") {
                guard at > tokenStart else { return nil }
                tokens += 1
                tokenStart = at + 1
            } else if !isTokenByte(byte) {
                break
            }
            at += 1
        }
        guard at > tokenStart, at - start <= BusLimits.subjectBytesMax, tokens <= BusLimits.subjectTokensMax else {
            return nil
        }
        return at
    }

    /// Whether the bytes may be subscribed to.
    package static func isPattern(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= BusLimits.subjectBytesMax else { return false }
        var tokens = 1
        var tokenStart = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == UInt8(ascii: ".") {
                guard index > tokenStart, index + 1 < bytes.count else { return false }
                tokens += 1
                tokenStart = index + 1
            } else if !isTokenByte(byte) {
                guard isWildcard(byte), index == tokenStart else { return false }
                let isLast = index + 1 == bytes.count
                guard isLast || (byte == UInt8(ascii: "*") && bytes[index + 1] == UInt8(ascii: ".")) else {
                    return false
                }
            }
        }
        return tokens <= BusLimits.subjectTokensMax
    }

    /// Whether the bytes name a queue group: one token of at most 64 bytes.
    package static func isQueue(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes.count <= BusLimits.queueBytesMax else { return false }
        for index in bytes.indices where !isTokenByte(bytes[index]) { return false }
        return true
    }

    /// Whether a subject begins with `_INBOX` or `$`. Patterns with a wildcard as their first token never match such a
    /// subject.
    package static func isHiddenFromWildcards(_ subject: Span<UInt8>) -> Bool {
        !subject.isEmpty && (subject[0] == UInt8(ascii: "$") || subject.starts(with: "_INBOX"))
    }

    /// Whether a legal subject is matched by a legal pattern.
    package static func matches(pattern: Span<UInt8>, subject: Span<UInt8>) -> Bool {
        if isWildcard(pattern[0]) && isHiddenFromWildcards(subject) { return false }
        var p = 0
        var s = 0
        while true {
            if pattern[p] == UInt8(ascii: ">") { return true }
            let patternEnd = tokenEnd(pattern, p)
            let subjectEnd = tokenEnd(subject, s)
            if pattern[p] != UInt8(ascii: "*"),
                !pattern.extracting(p..<patternEnd).isEqual(subject.extracting(s..<subjectEnd))
            {
                return false
            }
            if patternEnd == pattern.count || subjectEnd == subject.count {
                return patternEnd == pattern.count && subjectEnd == subject.count
            }
            p = patternEnd + 1
            s = subjectEnd + 1
        }
    }

    /// The end of the token that begins at `start`.
    package static func tokenEnd(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var at = start
        while at < bytes.count, bytes[at] != UInt8(ascii: ".") { at += 1 }
        return at
    }

    private static func isWildcard(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "*") || byte == UInt8(ascii: ">") }

    /// Looks a byte up in two masks of 64 bits, one bit a legal byte. A comparison for each class would branch.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        if byte >= 128 { return false }
        let mask = byte < 64 ? lowMask : highMask
        return mask >> UInt64(byte & 63) & 1 == 1
    }

    /// `0-9 - $ = : / + ! % & #`. The masks are constants, because Swift would call a computed global for each byte.
    private static var lowMask: UInt64 { 0x27FF_A87A_0000_0000 }
    /// `A-Z a-z _ @ ~`
    private static var highMask: UInt64 { 0x47FF_FFFE_87FF_FFFF }
}
