/// Base64 with the URL's alphabet and without padding (RFC 4648 §5), as in JSON Web Signatures and Tokens.
package enum Base64URL {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Encodes bytes.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        append(bytes, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes bytes behind a text.
    ///
    /// Foundation's encoder has the other alphabet, and to replace its characters takes longer than to encode.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        digits.withUnsafeBufferPointer { digits in
            bytes.withUnsafeBufferPointer { bytes in
                var at = 0
                while at + 3 <= bytes.count {
                    let group = Int(bytes[at]) << 16 | Int(bytes[at + 1]) << 8 | Int(bytes[at + 2])
                    text.append(digits[group >> 18])
                    text.append(digits[group >> 12 & 63])
                    text.append(digits[group >> 6 & 63])
                    text.append(digits[group & 63])
                    at += 3
                }
                let rest = bytes.count - at
                guard rest > 0 else { return }
                let group = Int(bytes[at]) << 16 | (rest == 2 ? Int(bytes[at + 1]) << 8 : 0)
                text.append(digits[group >> 18])
                text.append(digits[group >> 12 & 63])
                if rest == 2 { text.append(digits[group >> 6 & 63]) }
            }
        }
    }

    /// Decodes text. Only the text that ``encode(_:)`` returns for the bytes is read, so no two texts are the same bytes.
    ///
    /// - Returns: Nil for other characters, padding, and bits behind the last byte.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 4 * 3 + 2)
        var (bits, count): (UInt32, Int) = (0, 0)
        for character in text.utf8 {
            guard let digit = digit(character) else { return nil }
            (bits, count) = (bits << 6 | UInt32(digit), count + 6)
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= 1 << UInt32(count) - 1
        }
        // A whole digit too many, or bits that no encoder sets.
        return count < 6 && bits == 0 ? bytes : nil
    }

    /// Decodes the three parts of a compact JWS.
    /// - Returns: Nil for text that is not three parts that ``decode(_:)`` reads.
    package static func parts(ofJWS text: String) -> [[UInt8]]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { decode($0) }
        return parts.count == 3 && text.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 ? parts : nil
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
