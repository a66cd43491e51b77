/// A header after one pass over its bytes: its members and their positions. Nothing is copied.
///
/// Both sides start here. The broker's publish path reads it directly. Everything else goes through `ClientMessage` or
/// `ServerMessage`. It is valid only together with the bytes it was made from, which every accessor takes.
package struct FrameHeader {
    /// The kind of the frame. Nil when `op` is missing, not a string, or unknown.
    package private(set) var op: BusOp?
    /// Whether the header has a member that SBP/1 does not define.
    package private(set) var hasUnknownMember = false
    /// How many entries `headers` has.
    package private(set) var headersCount = 0
    /// Whether every value in `headers` is a string.
    private(set) var headersAreStrings = true
    private var present: UInt64 = 0
    private var values = InlineArray<38, HeaderValue>(repeating: HeaderValue())

    /// Scans a header.
    ///
    /// - Throws: `bad_frame` for a header that is not strict JSON. Faults of single members are found when they are
    ///   asked for, because they do not end the connection.
    package init(scanning bytes: Span<UInt8>) throws(BusViolation) {
        var scanner = HeaderScanner()
        scanner.skipWhitespace(bytes)
        try scanner.take(UInt8(ascii: "{"), bytes, "an object")
        scanner.skipWhitespace(bytes)
        if !scanner.takeIf(UInt8(ascii: "}"), bytes) { try scanMembers(bytes, &scanner) }
        scanner.skipWhitespace(bytes)
        guard scanner.at == bytes.count else { throw scanner.malformed("goes on after its end") }
        let op = self[.op]
        if op.kind == .string {
            self.op = op.isEscaped ? BusOp(rawValue: op.text(in: bytes)) : BusOp.named(bytes.extracting(op.range))
        }
    }

    /// The member's place, or `absent` when it is missing.
    package subscript(_ member: HeaderMember) -> HeaderValue { values[Int(member.rawValue)] }

    /// Whether the header has no members but the allowed ones.
    package func hasOnly(_ allowed: MemberSet) -> Bool { !hasUnknownMember && present & ~allowed.bits == 0 }

    private mutating func scanMembers(_ bytes: Span<UInt8>, _ scanner: inout HeaderScanner) throws(BusViolation) {
        var unknown: UnknownNames?
        repeat {
            let name = try scanner.memberName(bytes)
            guard let member = Self.member(name, bytes) else {
                hasUnknownMember = true
                let names = unknown ?? UnknownNames()
                guard names.names.insert(name, in: bytes) else { throw scanner.malformed("repeats a member") }
                unknown = names
                _ = try scanner.value(bytes, depth: 1)
                continue
            }
            let bit: UInt64 = 1 << UInt64(member.rawValue)
            guard present & bit == 0 else { throw scanner.malformed("repeats a member") }
            present |= bit
            values[Int(member.rawValue)] = try take(member, bytes, &scanner)
        } while try scanner.hasNext(UInt8(ascii: "}"), bytes)
    }

    /// Takes a known member's value, and looks into `headers` on the way.
    private mutating func take(
        _ member: HeaderMember, _ bytes: Span<UInt8>, _ scanner: inout HeaderScanner
    ) throws(BusViolation) -> HeaderValue {
        guard member == .headers, scanner.at < bytes.count, bytes[scanner.at] == UInt8(ascii: "{") else {
            return try scanner.value(bytes, depth: 1)
        }
        let start = scanner.at
        (headersCount, headersAreStrings) = try scanner.objectOfMembers(bytes, depth: 1)
        return HeaderValue(.object, start..<scanner.at)
    }

    private static func member(_ name: HeaderValue, _ bytes: Span<UInt8>) -> HeaderMember? {
        if name.isEscaped {
            let text = name.text(in: bytes)
            return HeaderMember.allCases.first { $0.wireName == text }
        }
        return HeaderMember.named(bytes.extracting(name.range))
    }

    /// Boxed, so that headers without unknown members do not pay for its size.
    private final class UnknownNames {
        var names = MemberNames()
    }
}

/// A set of members that an op may carry.
package struct MemberSet: Sendable {
    let bits: UInt64

    /// Creates the set of an op's members.
    package init(_ members: HeaderMember...) {
        bits = members.reduce(0) { $0 | 1 << UInt64($1.rawValue) }
    }
}

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
