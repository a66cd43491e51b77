import JSONSyntax

/// A strict JSON scanner for headers. It finds the positions of values and refuses everything SBP/1 calls `bad_frame`.
///
/// It works on the bytes where they arrived, keeps no state but its position, and builds nothing unless a member is
/// unknown or escaped. Strictness beyond RFC 8259: valid UTF-8, no NUL (raw or escaped), no duplicate member at any
/// depth, no lone surrogate, bounded nesting.
struct HeaderScanner {
    /// The next byte to look at.
    private(set) var at: Int

    init(at: Int = 0) {
        self.at = at
    }

    /// Takes a whole value at `at`.
    mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(BusViolation) -> HeaderValue {
        guard at < bytes.count else { throw malformed("ends too early") }
        switch bytes[at] {
        case UInt8(ascii: "\""): return try string(bytes)
        case UInt8(ascii: "{"): return try object(bytes, depth: depth)
        case UInt8(ascii: "["): return try array(bytes, depth: depth)
        case UInt8(ascii: "t"): return try literal("true", .yes, bytes)
        case UInt8(ascii: "f"): return try literal("false", .no, bytes)
        case UInt8(ascii: "n"): return try literal("null", .null, bytes)
        default: return try number(bytes)
        }
    }

    /// Takes a string, whose range excludes the quotes.
    mutating func string(_ bytes: Span<UInt8>) throws(BusViolation) -> HeaderValue {
        try take(UInt8(ascii: "\""), bytes, "a string")
        do throws(JSONFault) {
            let text = try JSONString.scan(bytes, from: at)
            defer { at = text.end + 1 }
            return HeaderValue(.string, at..<text.end, isEscaped: text.isEscaped)
        } catch {
            throw malformed(error)
        }
    }

    /// Skips the whitespace JSON allows.
    mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x09, 0x0A, 0x0D: at += 1
            default: return
            }
        }
    }

    /// Takes one byte that must be next.
    mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>, _ what: StaticString) throws(BusViolation) {
        guard at < bytes.count, bytes[at] == byte else { throw malformed("lacks \(what)") }
        at += 1
    }

    /// Takes the byte if it is next.
    mutating func takeIf(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
        guard at < bytes.count, bytes[at] == byte else { return false }
        at += 1
        return true
    }

    /// Takes `"name" :` with whitespace around, and leaves the position at the value.
    mutating func memberName(_ bytes: Span<UInt8>) throws(BusViolation) -> HeaderValue {
        skipWhitespace(bytes)
        let name = try string(bytes)
        skipWhitespace(bytes)
        try take(UInt8(ascii: ":"), bytes, "a colon")
        skipWhitespace(bytes)
        return name
    }

    /// Takes `,` or the closing byte. True when another element follows.
    mutating func hasNext(_ close: UInt8, _ bytes: Span<UInt8>) throws(BusViolation) -> Bool {
        skipWhitespace(bytes)
        if takeIf(UInt8(ascii: ","), bytes) { return true }
        try take(close, bytes, "a comma or a closing bracket")
        return false
    }

    /// Skips an object, whose range includes the braces.
    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(BusViolation) -> HeaderValue {
        let start = at
        _ = try objectOfMembers(bytes, depth: depth)
        return HeaderValue(.object, start..<at)
    }

    /// Takes an object. Returns its number of members and whether all of them are strings.
    mutating func objectOfMembers(
        _ bytes: Span<UInt8>, depth: Int
    ) throws(BusViolation) -> (count: Int, areStrings: Bool) {
        guard depth < BusLimits.nestingMax else { throw malformed("nests too deeply") }
        try take(UInt8(ascii: "{"), bytes, "an object")
        skipWhitespace(bytes)
        if takeIf(UInt8(ascii: "}"), bytes) { return (0, true) }
        var names = MemberNames()
        var areStrings = true
        repeat {
            let name = try memberName(bytes)
            guard names.insert(name, in: bytes) else { throw malformed("repeats a member") }
            if try value(bytes, depth: depth + 1).kind != .string { areStrings = false }
        } while try hasNext(UInt8(ascii: "}"), bytes)
        return (names.count, areStrings)
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(BusViolation) -> HeaderValue {
        guard depth < BusLimits.nestingMax else { throw malformed("nests too deeply") }
        let start = at
        at += 1
        skipWhitespace(bytes)
        if takeIf(UInt8(ascii: "]"), bytes) { return HeaderValue(.array, start..<at) }
        repeat {
            skipWhitespace(bytes)
            _ = try value(bytes, depth: depth + 1)
        } while try hasNext(UInt8(ascii: "]"), bytes)
        return HeaderValue(.array, start..<at)
    }

    private mutating func literal(
        _ text: StaticString, _ kind: HeaderValue.Kind, _ bytes: Span<UInt8>
    ) throws(BusViolation) -> HeaderValue {
        let end = at + text.utf8CodeUnitCount
        guard end <= bytes.count, bytes.extracting(at..<end).isEqual(text) else {
            throw malformed("holds no JSON value")
        }
        defer { at = end }
        return HeaderValue(kind, at..<end)
    }

    /// Takes a number of JSON's grammar. It is `integer` only for 0…2⁵³−1 without fraction and exponent.
    private mutating func number(_ bytes: Span<UInt8>) throws(BusViolation) -> HeaderValue {
        do throws(JSONFault) {
            let number = try JSONNumber.scan(bytes, from: at)
            defer { at = number.end }
            let value = HeaderValue(.integer, at..<number.end)
            // 2⁵³ has 16 digits.
            guard number.isDigits,
                value.range.count < 16
                    || value.range.count == 16 && value.integer(in: bytes) <= BusLimits.integerMax
            else { return HeaderValue(.otherNumber, value.range) }
            return value
        } catch {
            throw malformed(error)
        }
    }

    /// The violation, with the place.
    func malformed(_ what: String) -> BusViolation {
        BusViolation(.badFrame, "the header \(what) at byte \(at)")
    }

    private mutating func malformed(_ fault: JSONFault) -> BusViolation {
        at = fault.offset
        return switch fault.reason {
        case .unendedString: malformed("ends inside a string")
        case .rawNUL, .escapedNUL: malformed("holds NUL")
        case .rawControlCharacter: malformed("holds a raw control character")
        case .invalidUTF8: malformed("is not UTF-8")
        case .unknownEscape: malformed("has an unknown escape")
        case .malformedUnicodeEscape: malformed("has a broken \\u escape")
        case .loneSurrogate: malformed("has a lone surrogate")
        case .malformedNumber: malformed("holds no JSON value")
        case .leadingZero: malformed("has a number with a leading zero")
        }
    }
}
