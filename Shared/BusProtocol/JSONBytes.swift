/// JSON values as bytes, for headers. Text leaves as UTF-8 with only the escapes JSON demands.
package enum JSONBytes {
    /// Appends a quoted string. NUL, which no header may hold, becomes U+FFFD.
    package static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        defer { output.append(UInt8(ascii: "\"")) }
        // Nearly every text is appended as it is.
        guard text.utf8.contains(where: needsEscape) else { return output.append(contentsOf: text.utf8) }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                output.append(UInt8(ascii: "\\"))
                output.append(byte)
            case 0: output.append(contentsOf: UTF8.encodedReplacementCharacter)
            case 0..<0x20:
                output.append(contentsOf: "\\u00".utf8)
                output.append(hexDigit(byte >> 4))
                output.append(hexDigit(byte & 15))
            default: output.append(byte)
            }
        }
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Appends a number in decimal digits.
    package static func append(_ number: Int, to output: inout [UInt8]) {
        precondition(number >= 0, "SBP/1 has no negative numbers")
        let start = output.count
        var rest = number
        repeat {
            output.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        output[start...].reverse()
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
