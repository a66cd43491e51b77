/// An element of DER (ITU-T X.690), and what its readers need for certificates.
///
/// Lengths are definite and as short as they can be, and tags have one byte. Everything else is nil.
struct DER {
    let tag: UInt8
    let content: ArraySlice<UInt8>
    /// The element with its tag and length.
    let whole: ArraySlice<UInt8>

    /// The tags that certificates have.
    enum Tag {
        static let boolean: UInt8 = 0x01
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let identifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        static let utcTime: UInt8 = 0x17
        static let generalizedTime: UInt8 = 0x18
        /// `[0]` of the version and `[3]` of the extensions.
        static let version: UInt8 = 0xA0
        static let extensions: UInt8 = 0xA3
    }

    /// Takes the first element from bytes.
    /// - Parameter tag: The tag that it must have. Nil accepts any.
    init?(taking bytes: inout ArraySlice<UInt8>, _ tag: UInt8? = nil) {
        var rest = bytes
        guard let first = rest.popFirst(), tag == nil || first == tag, first & 0x1F != 0x1F,
            var count = rest.popFirst().map({ Int($0) })
        else { return nil }
        if count >= 0x80 {
            let digits = count & 0x7F
            guard (1...3).contains(digits), rest.count >= digits, rest.first != 0 else { return nil }
            count = rest.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(digits)
            // A shorter form would have held it.
            guard count >= 0x80 else { return nil }
        }
        guard rest.count >= count else { return nil }
        self.tag = first
        content = rest.prefix(count)
        rest = rest.dropFirst(count)
        whole = bytes[bytes.startIndex..<rest.startIndex]
        bytes = rest
    }

    /// The elements of a constructed one. Nil when the content is not whole elements.
    var elements: [DER]? {
        var rest = content
        var list: [DER] = []
        while !rest.isEmpty {
            guard let next = DER(taking: &rest) else { return nil }
            list.append(next)
        }
        return list
    }

    /// The value of a boolean. Nil for another element.
    var boolean: Bool? {
        guard tag == Tag.boolean, content.count == 1, let byte = content.first, byte == 0 || byte == 0xFF else {
            return nil
        }
        return byte == 0xFF
    }

    /// The bytes of a bit string without unused bits. Nil for another element.
    var bits: ArraySlice<UInt8>? {
        guard tag == Tag.bitString, content.first == 0 else { return nil }
        return content.dropFirst()
    }

    /// The fourteen digits of a time in UTC, `20261121100000`, which sort as the times do.
    var time: String? {
        let digits = content.dropLast()
        guard content.last == UInt8(ascii: "Z"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let text = String(decoding: digits, as: UTF8.self)
        switch (tag, digits.count) {
        // RFC 5280 §4.1.2.5.1: from 50 on it is the last century.
        case (Tag.utcTime, 12): return (digits[digits.startIndex] >= UInt8(ascii: "5") ? "19" : "20") + text
        case (Tag.generalizedTime, 14): return text
        default: return nil
        }
    }

    /// Writes one of a signature's two numbers of the same length.
    static func integer(_ number: ArraySlice<UInt8>) -> [UInt8] {
        var digits = number.drop { $0 == 0 }
        // The first bit is the sign.
        if (digits.first ?? 0x80) >= 0x80 { digits = [0] + digits }
        return [Tag.integer, UInt8(digits.count)] + digits
    }
}
