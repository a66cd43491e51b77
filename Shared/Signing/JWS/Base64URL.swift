import Foundation

/// Base64 with the URL's alphabet and without padding (RFC 4648 §5), as JSON Web Signatures and Tokens have it.
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
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
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

    /// Decodes text with the URL's alphabet or the standard one.
    ///
    /// - Returns: Nil for text that is not Base64, or has padding.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        // Foundation's decoder takes padding alone for a byte.
        guard !text.utf8.contains(UInt8(ascii: "=")) else { return nil }
        var standard = text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        standard += Array(repeating: UInt8(ascii: "="), count: (4 - standard.count % 4) % 4)
        return Data(base64Encoded: Data(standard)).map(Array.init)
    }
}
