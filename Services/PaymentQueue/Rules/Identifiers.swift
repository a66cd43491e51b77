import StoreModels

/// Makes the identifiers that clients see and never interpret: Crockford's base 32 in lower case.
package enum Identifiers {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// `t_` and 26 characters: 48 bits of milliseconds, then 80 random ones, so that identifiers sort by age and new rows
    /// go to the end of the index.
    package static func transaction(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        let time = UInt64(clamping: wall.milliseconds) & 0xFFFF_FFFF_FFFF
        return "t_" + digits(time, count: 10) + digits(random.next(), count: 8) + digits(random.next(), count: 8)
    }

    /// `c_` and 24 characters, 120 random bits.
    package static func customer(random: inout some RandomNumberGenerator) -> String {
        "c_" + (0..<3).map { _ in digits(random.next(), count: 8) }.joined()
    }

    /// `p_` and 13 characters: prompts are numbered, and their identifiers sort as they came.
    package static func prompt(_ number: Int64) -> String { "p_" + digits(UInt64(number), count: 13) }

    private static func digits(_ value: UInt64, count: Int) -> String {
        String(
            decoding: (0..<count).reversed().map { alphabet[Int((value >> (5 * UInt64($0))) & 31)] }, as: UTF8.self)
    }
}
