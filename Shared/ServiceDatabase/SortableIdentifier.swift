import StoreModels

/// Opaque identifiers of clients that sort by age. So new rows go to the end of the index.
package enum SortableIdentifier {
    /// `prefix` and 26 characters: 48 bits of milliseconds, then 80 random ones, as in `t_01k9p3s2rg…`.
    /// - Parameter wall: The wall clock, because changes of an app's clock must not change the order.
    package static func make(
        _ prefix: String, wall: Timestamp, random: inout some RandomNumberGenerator
    ) -> String {
        let time = UInt64(clamping: wall.milliseconds) & 0xFFFF_FFFF_FFFF
        return prefix + CrockfordBase32.digits(time, count: 10) + CrockfordBase32.digits(random.next(), count: 8)
            + CrockfordBase32.digits(random.next(), count: 8)
    }
}

/// Crockford's base 32 in lower case, the digits of identifiers. Each has five bits, letters that look like numbers are
/// missing, and text of one length sorts as the numbers do.
package enum CrockfordBase32 {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// The last `count` digits of a number, filled with zeros. 13 are enough for all 64 bits.
    package static func digits(_ value: UInt64, count: Int) -> String {
        String(
            decoding: (0..<count).reversed().map { alphabet[Int((value >> (5 * UInt64($0))) & 31)] }, as: UTF8.self)
    }

    /// Tells whether a byte is a digit.
    package static func isDigit(_ byte: UInt8) -> Bool { alphabet.contains(byte) }

    /// The number of digits such as ``digits(_:count:)`` writes, for numbers that are not negative.
    /// - Returns: Nil for any other text, and for a number larger than `Int64` allows.
    package static func number(_ digits: some Sequence<UInt8>) -> Int64? {
        var number: UInt64 = 0
        for byte in digits {
            guard let digit = alphabet.firstIndex(of: byte), number >> 58 == 0 else { return nil }
            number = number << 5 | UInt64(digit)
        }
        return Int64(number)
    }
}
