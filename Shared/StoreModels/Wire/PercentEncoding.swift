/// Percent-encoding of paths and queries (RFC 3986 §2.1).
package enum PercentEncoding {
    /// Encodes everything but unreserved characters. Any text then fits one path segment or query value.
    package static func encode(_ text: String) -> String {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded.append(upperCaseDigits[Int(byte >> 4)])
                encoded.append(upperCaseDigits[Int(byte & 15)])
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// Decodes a path segment, in which `+` is itself.
    /// - Returns: Nil for a `%` without two hexadecimal digits, and for bytes that are not UTF-8.
    package static func decode(_ text: Substring) -> String? { decoded(text, plusIsSpace: false) }

    /// Decodes a name or value of a query as HTML forms encode it. `+` is a space.
    /// - Returns: Nil as ``decode(_:)`` does.
    package static func decodeForm(_ text: Substring) -> String? { decoded(text, plusIsSpace: true) }

    /// Decodes a name or value of a query strictly by RFC 3986.
    /// - Returns: Nil as ``decode(_:)`` does, for a character that no query may have, and for control characters.
    static func decodeQuery(_ text: Substring) -> String? {
        guard text.utf8.allSatisfy({ isUnreserved($0) || queryPunctuation.contains($0) }),
            let bytes = bytes(text, plusIsSpace: false), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else { return nil }
        return Self.text(bytes)
    }

    private static let upperCaseDigits = Array("0123456789ABCDEF".utf8)

    /// The punctuation that RFC 3986 §3.4 allows in a query, but `&`, which divides it.
    private static let queryPunctuation = Set("%!$'()*+,;:@/?=".utf8)

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        // Nearly every text is itself.
        let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }
        return isPlain ? String(text) : bytes(text, plusIsSpace: plusIsSpace).flatMap(Self.text)
    }

    private static func text(_ bytes: [UInt8]) -> String? { String(validating: bytes, as: UTF8.self) }

    private static func bytes(_ text: Substring, plusIsSpace: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(Hex.value), let low = iterator.next().flatMap(Hex.value) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
