import StoreModels

/// Random identifiers that cannot be guessed, from the system's generator.
package enum RandomIdentifier {
    /// Lower-case hexadecimal digits, at least one of them not zero.
    package static func hex(digits: Int) -> String {
        var text = [UInt8]()
        text.reserveCapacity(digits)
        var bits: UInt64 = 0
        for position in 0..<digits {
            if position % 16 == 0 { bits = UInt64.random(in: 1 ... .max) }
            text.append(Hex.digits[Int(bits & 15)])
            bits >>= 4
        }
        if !text.contains(where: { $0 != UInt8(ascii: "0") }) { text[digits - 1] = UInt8(ascii: "1") }
        return String(decoding: text, as: UTF8.self)
    }
}
