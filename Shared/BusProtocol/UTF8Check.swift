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
