/// Percent-decoding of paths and queries. It is strict: a `%` without two hexadecimal digits, or bytes that are not
/// UTF-8, are rejected.
enum PercentEncoding {
    /// Decodes a path segment.
    static func decode(_ text: Substring) -> String? { decode(text, plusIsSpace: false) }

    /// Decodes a name or value of a query, as HTML forms encode them.
    static func decodeForm(_ text: Substring) -> String? { decode(text, plusIsSpace: true) }

    private static func decode(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = digit(iterator.next()), let low = digit(iterator.next()) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(UInt8(ascii: "0")...UInt8(ascii: "9")): byte.map { $0 - UInt8(ascii: "0") }
        case .some(UInt8(ascii: "a")...UInt8(ascii: "f")): byte.map { $0 - UInt8(ascii: "a") + 10 }
        case .some(UInt8(ascii: "A")...UInt8(ascii: "F")): byte.map { $0 - UInt8(ascii: "A") + 10 }
        default: nil
        }
    }
}
