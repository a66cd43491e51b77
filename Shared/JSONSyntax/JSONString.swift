/// The grammar of JSON strings, for readers that keep positions in the received bytes.
///
/// Strictness beyond RFC 8259: valid UTF-8, no U+0000 (raw or escaped), no lone surrogate.
public enum JSONString {
    // Inlined, because readers call it for every string of a document or header.

    /// Finds the closing quote of a string and checks the text before it.
    /// - Parameter start: The position after the opening quote.
    @inlinable
    public static func scan(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(JSONFault) -> (end: Int, isEscaped: Bool, isASCII: Bool) {
        var (at, isEscaped, isASCII) = (start, false, true)
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") { return (at, isEscaped, isASCII) }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                at = try endOfEscape(bytes, at)
            } else if byte < 0x20 {
                throw JSONFault(byte == 0 ? .rawNUL : .rawControlCharacter, at: at)
            } else if byte < 0x80 {
                at += 1
            } else {
                isASCII = false
                guard let length = lengthOfSequence(bytes, at) else { throw JSONFault(.invalidUTF8, at: at) }
                at += length
            }
        }
        throw JSONFault(.unendedString, at: at)
    }

    /// Resolves the escapes of a text between quotes that ``scan(_:from:)`` has checked. Returns UTF-8.
    public static func resolve(_ text: Span<UInt8>) -> [UInt8] {
        var resolved: [UInt8] = []
        resolved.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            let byte = text[at]
            if byte != UInt8(ascii: "\\") {
                resolved.append(byte)
                at += 1
            } else if text[at + 1] == UInt8(ascii: "u") {
                at = appendScalar(text, at, to: &resolved)
            } else {
                resolved.append(character(text[at + 1]))
                at += 2
            }
        }
        return resolved
    }

    /// The character that the letter after a backslash denotes.
    private static func character(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }

    /// Resolves `\uXXXX`, or a pair of surrogates, and returns the position after it.
    private static func appendScalar(_ text: Span<UInt8>, _ at: Int, to resolved: inout [UInt8]) -> Int {
        let first = unit(text, at) ?? 0
        var value = first
        var next = at + 6
        if first & 0xFC00 == 0xD800 {
            value = 0x10000 + (first - 0xD800) << 10 + ((unit(text, next) ?? 0xDC00) - 0xDC00)
            next += 6
        }
        if let scalar = Unicode.Scalar(value) {
            resolved.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        return next
    }

    /// Checks one escape sequence, a pair of surrogates included, and returns the position after it.
    @usableFromInline
    static func endOfEscape(_ bytes: Span<UInt8>, _ at: Int) throws(JSONFault) -> Int {
        guard at + 1 < bytes.count else { throw JSONFault(.unendedString, at: at) }
        switch bytes[at + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at + 2
        case UInt8(ascii: "u"):
            guard let first = unit(bytes, at) else { throw JSONFault(.malformedUnicodeEscape, at: at) }
            switch first {
            case 0: throw JSONFault(.escapedNUL, at: at)
            case 0xD800...0xDBFF:
                guard let second = unit(bytes, at + 6), second & 0xFC00 == 0xDC00 else {
                    throw JSONFault(.loneSurrogate, at: at)
                }
                return at + 12
            case 0xDC00...0xDFFF: throw JSONFault(.loneSurrogate, at: at)
            default: return at + 6
            }
        default: throw JSONFault(.unknownEscape, at: at)
        }
    }

    /// The value of `\uXXXX` at a position. Nil if the bytes there are something else.
    private static func unit(_ bytes: Span<UInt8>, _ at: Int) -> UInt32? {
        guard at + 6 <= bytes.count, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") else {
            return nil
        }
        var value: UInt32 = 0
        for index in (at + 2)..<(at + 6) {
            guard let digit = digit(bytes[index]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// The value of a hexadecimal digit.
    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The length of the multi-byte sequence at `at`. Nil if it is not UTF-8. The first byte is 0x80 or more.
    ///
    /// Strict, as in RFC 3629: no overlong forms, no surrogates, no value above U+10FFFF.
    @usableFromInline
    static func lengthOfSequence(_ bytes: Span<UInt8>, _ at: Int) -> Int? {
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
