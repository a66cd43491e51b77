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

    /// Takes a string; its range excludes the quotes.
    mutating func string(_ bytes: Span<UInt8>) throws(BusViolation) -> HeaderValue {
        try take(UInt8(ascii: "\""), bytes, "a string")
        let start = at
        var isEscaped = false
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                at += 1
                return HeaderValue(.string, start..<at - 1, isEscaped: isEscaped)
            }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                try escape(bytes)
            } else if byte < 0x20 {
                throw malformed(byte == 0 ? "holds NUL" : "holds a raw control character")
            } else if byte < 0x80 {
                at += 1
            } else {
                guard let length = UTF8Check.sequenceLength(bytes, at) else { throw malformed("is not UTF-8") }
                at += length
            }
        }
        throw malformed("ends inside a string")
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

    /// Takes `,` or the closing byte; true when there is another element.
    mutating func hasNext(_ close: UInt8, _ bytes: Span<UInt8>) throws(BusViolation) -> Bool {
        skipWhitespace(bytes)
        if takeIf(UInt8(ascii: ","), bytes) { return true }
        try take(close, bytes, "a comma or a closing bracket")
        return false
    }

    /// Skips an object; its range includes the braces.
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

    /// Takes a number of JSON's grammar; `integer` only for 0…2⁵³−1 without fraction and exponent.
    private mutating func number(_ bytes: Span<UInt8>) throws(BusViolation) -> HeaderValue {
        let start = at
        let isNegative = takeIf(UInt8(ascii: "-"), bytes)
        let digitsStart = at
        let magnitude = try digits(bytes)
        guard at == digitsStart + 1 || bytes[digitsStart] != UInt8(ascii: "0") else {
            throw malformed("has a number with a leading zero")
        }
        var isInteger = !isNegative && magnitude <= BusLimits.integerMax
        if takeIf(UInt8(ascii: "."), bytes) {
            isInteger = false
            _ = try digits(bytes)
        }
        if takeIf(UInt8(ascii: "e"), bytes) || takeIf(UInt8(ascii: "E"), bytes) {
            isInteger = false
            if !takeIf(UInt8(ascii: "+"), bytes) { _ = takeIf(UInt8(ascii: "-"), bytes) }
            _ = try digits(bytes)
        }
        return HeaderValue(isInteger ? .integer : .otherNumber, start..<at)
    }

    /// Takes one or more digits and returns their value, at most 2⁵³.
    private mutating func digits(_ bytes: Span<UInt8>) throws(BusViolation) -> Int {
        var number = 0
        let start = at
        while at < bytes.count, case let digit = bytes[at] &- UInt8(ascii: "0"), digit < 10 {
            number = min(number * 10 + Int(digit), BusLimits.integerMax + 1)
            at += 1
        }
        guard at > start else { throw malformed("holds no JSON value") }
        return number
    }

    /// Checks one escape sequence, a pair of surrogates included.
    private mutating func escape(_ bytes: Span<UInt8>) throws(BusViolation) {
        guard at + 1 < bytes.count else { throw malformed("ends inside a string") }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            at += 2
        case UInt8(ascii: "u"):
            let unit = try unicodeEscape(bytes)
            guard unit != 0 else { throw malformed("holds NUL") }
            if unit & 0xFC00 == 0xD800 {
                guard try unicodeEscape(bytes) & 0xFC00 == 0xDC00 else { throw malformed("has a lone surrogate") }
            } else if unit & 0xFC00 == 0xDC00 {
                throw malformed("has a lone surrogate")
            }
        default: throw malformed("has an unknown escape")
        }
    }

    /// Takes `\uXXXX`.
    private mutating func unicodeEscape(_ bytes: Span<UInt8>) throws(BusViolation) -> UInt32 {
        guard at + 6 <= bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") else {
            throw malformed("has a broken \\u escape")
        }
        for offset in 2..<6 where JSONEscapes.digit(bytes[at + offset]) == nil {
            throw malformed("has a broken \\u escape")
        }
        defer { at += 6 }
        return JSONEscapes.unit(bytes, at + 2)
    }

    /// The violation, with the place.
    func malformed(_ what: String) -> BusViolation {
        BusViolation(.badFrame, "the header \(what) at byte \(at)")
    }
}

/// Strict UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Check {
    /// The length of the multi-byte sequence at `at`; nil when it is not UTF-8. The first byte is 0x80 or more.
    static func sequenceLength(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
        let first = bytes[at]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: length = 4
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard at + length <= bytes.count, second.contains(bytes[at + 1]) else { return nil }
        for index in (at + 2)..<(at + length) where bytes[index] & 0xC0 != 0x80 { return nil }
        return length
    }
}
