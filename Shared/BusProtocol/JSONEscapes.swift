/// JSON string escapes, for strings that the scanner has already found to be well formed.
enum JSONEscapes {
    /// The bytes of a string's text. `body` is the text between the quotes.
    static func resolve(_ body: Span<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(body.count)
        var at = 0
        while at < body.count {
            let byte = body[at]
            if byte != UInt8(ascii: "\\") {
                text.append(byte)
                at += 1
            } else if body[at + 1] == UInt8(ascii: "u") {
                at = appendScalar(body, at, to: &text)
            } else {
                text.append(single(body[at + 1]))
                at += 2
            }
        }
        return text
    }

    /// The character that the letter after a backslash denotes.
    private static func single(_ letter: UInt8) -> UInt8 {
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
    private static func appendScalar(_ body: Span<UInt8>, _ at: Int, to text: inout [UInt8]) -> Int {
        let first = unit(body, at + 2)
        var value = first
        var next = at + 6
        if first & 0xFC00 == 0xD800 {
            value = 0x10000 + (first - 0xD800) << 10 + (unit(body, at + 8) - 0xDC00)
            next = at + 12
        }
        if let scalar = Unicode.Scalar(value) {
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        }
        return next
    }

    /// The value of four hexadecimal digits.
    static func unit(_ body: Span<UInt8>, _ at: Int) -> UInt32 {
        var value: UInt32 = 0
        for offset in 0..<4 { value = value << 4 | UInt32(digit(body[at + offset]) ?? 0) }
        return value
    }

    /// The value of a hexadecimal digit.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
