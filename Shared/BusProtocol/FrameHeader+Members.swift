extension FrameHeader {
    /// The text of a member that must be there.
    ///
    /// - Throws: `bad_member` when it is missing, no string, or longer than `max` bytes.
    func text(_ member: HeaderMember, max: Int = .max, in bytes: Span<UInt8>) throws(BusViolation) -> String {
        guard let text = try optionalText(member, max: max, in: bytes) else { throw Self.missing(member) }
        return text
    }

    /// The text of a member that may be absent.
    ///
    /// - Throws: `bad_member` when it is not a string or longer than `max` bytes.
    func optionalText(
        _ member: HeaderMember, max: Int = .max, in bytes: Span<UInt8>
    ) throws(BusViolation) -> String? {
        let value = self[member]
        guard value.kind != .absent else { return nil }
        guard value.kind == .string else { throw Self.wrong(member, "a string") }
        let text = value.text(in: bytes)
        guard text.utf8.count <= max else { throw Self.wrong(member, "a string of at most \(max) bytes") }
        return text
    }

    /// An integer that must be there.
    ///
    /// - Throws: `bad_member` when it is missing, no integer, or out of range.
    func integer(
        _ member: HeaderMember, in bytes: Span<UInt8>, range: ClosedRange<Int> = 0...BusLimits.integerMax
    ) throws(BusViolation) -> Int {
        guard let number = try optionalInteger(member, in: bytes, range: range) else { throw Self.missing(member) }
        return number
    }

    /// An integer that may be absent.
    ///
    /// - Throws: `bad_member` when it is not an integer or out of range.
    package func optionalInteger(
        _ member: HeaderMember, in bytes: Span<UInt8>, range: ClosedRange<Int> = 0...BusLimits.integerMax
    ) throws(BusViolation) -> Int? {
        let value = self[member]
        guard value.kind != .absent else { return nil }
        guard value.kind == .integer else { throw Self.wrong(member, "an integer from 0 to 2^53-1") }
        let number = value.integer(in: bytes)
        guard range.contains(number) else {
            throw Self.wrong(member, "an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A boolean that may be absent.
    ///
    /// - Throws: `bad_member` when it is not a boolean.
    func optionalFlag(_ member: HeaderMember) throws(BusViolation) -> Bool? {
        switch self[member].kind {
        case .absent: nil
        case .yes: true
        case .no: false
        default: throw Self.wrong(member, "a boolean")
        }
    }

    /// The range of a routing member's bytes: ASCII, compared raw.
    ///
    /// - Throws: `bad_member` when it is not a string, `bad_header` when it holds an escape sequence.
    package func routing(_ member: HeaderMember) throws(BusViolation) -> Range<Int>? {
        let value = self[member]
        guard value.kind != .absent else { return nil }
        guard value.kind == .string else { throw Self.wrong(member, "a string") }
        guard !value.isEscaped else {
            throw BusViolation(.badHeader, "'\(member.wireName)' holds an escape sequence")
        }
        return value.range
    }

    /// Checks that `headers`, if there, is an object of at most 32 strings. Returns its range with the braces.
    ///
    /// - Throws: `bad_member`.
    package func checkedHeaders() throws(BusViolation) -> Range<Int>? {
        let value = self[.headers]
        guard value.kind != .absent else { return nil }
        guard value.kind == .object, headersAreStrings else { throw Self.wrong(.headers, "an object of strings") }
        guard headersCount <= BusLimits.headersMax else {
            throw Self.wrong(.headers, "an object of at most \(BusLimits.headersMax) strings")
        }
        return value.range
    }

    /// The sequence number to answer with, if there is a usable one. For error replies, so it never throws.
    package func sequence(in bytes: Span<UInt8>) -> Int? {
        self[.seq].kind == .integer ? self[.seq].integer(in: bytes) : nil
    }

    /// The subscription a frame speaks of, if it names a usable one. For error replies, so it never throws.
    package func subscription(in bytes: Span<UInt8>) -> Int? {
        self[.sid].kind == .integer ? self[.sid].integer(in: bytes) : nil
    }

    static func missing(_ member: HeaderMember) -> BusViolation {
        BusViolation(.badMember, "'\(member.wireName)' is missing")
    }

    static func wrong(_ member: HeaderMember, _ expected: String) -> BusViolation {
        BusViolation(.badMember, "'\(member.wireName)' must be \(expected)")
    }
}
