import StoreModels

/// Makes the identifiers that clients see and never interpret: Crockford's base 32 in lower case.
package enum Identifiers {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// `t_` and 26 characters: 48 bits of milliseconds, then 80 random ones, so that identifiers sort by age and new rows
    /// go to the end of the index.
    package static func transaction(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        "t_" + sortable(wall, &random)
    }

    /// The number in a `transactionIdentifier`, which is all digits.
    /// - Returns: nil for anything else, an `id` included.
    package static func transactionNumber(_ text: String) -> Int64? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// `r_` and 26 characters, which sort by age too.
    package static func restore(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        "r_" + sortable(wall, &random)
    }

    /// `a_` and 26 characters, which sort by age too.
    package static func advance(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        "a_" + sortable(wall, &random)
    }

    /// `d_` and what the transaction's identifier has behind its own `t_`: a transaction comes with one package at most,
    /// so its identifier finds the transaction without a table of its own.
    package static func download(of transaction: String) -> String { "d_" + transaction.dropFirst(2) }

    /// The transaction a download's identifier belongs to; whether there is one is the database's to say.
    /// - Returns: nil for what is no download's identifier.
    package static func transaction(ofDownload identifier: String) -> String? {
        guard identifier.utf8.count <= 64, identifier.hasPrefix("d_") else { return nil }
        return "t_" + identifier.dropFirst(2)
    }

    private static func sortable(_ wall: Timestamp, _ random: inout some RandomNumberGenerator) -> String {
        let time = UInt64(clamping: wall.milliseconds) & 0xFFFF_FFFF_FFFF
        return digits(time, count: 10) + digits(random.next(), count: 8) + digits(random.next(), count: 8)
    }

    /// `c_` and 24 characters, 120 random bits.
    package static func customer(random: inout some RandomNumberGenerator) -> String {
        "c_" + (0..<3).map { _ in digits(random.next(), count: 8) }.joined()
    }

    /// `p_` and 13 characters: prompts are numbered, and their identifiers sort as they came.
    package static func prompt(_ number: Int64) -> String { "p_" + digits(UInt64(number), count: 13) }

    /// `e_` and 26 characters: a place among the store's events, which sorts as they came.
    package static func event(_ position: EventPosition) -> String {
        "e_" + digits(UInt64(position.transaction), count: 13) + digits(UInt64(position.row), count: 13)
    }

    /// The place an identifier made by ``event(_:)`` stands for.
    /// - Returns: nil for anything else.
    package static func eventPosition(_ identifier: String) -> EventPosition? {
        let bytes = Array(identifier.utf8)
        guard bytes.count == 28, bytes.starts(with: Array("e_".utf8)), let transaction = number(bytes[2..<15]),
            let row = number(bytes[15...])
        else { return nil }
        return EventPosition(transaction: transaction, row: row)
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
        var number: UInt64 = 0
        for byte in text {
            guard let digit = alphabet.firstIndex(of: byte), number >> 58 == 0 else { return nil }
            number = number << 5 | UInt64(digit)
        }
        return Int64(number)
    }

    private static func digits(_ value: UInt64, count: Int) -> String {
        String(
            decoding: (0..<count).reversed().map { alphabet[Int((value >> (5 * UInt64($0))) & 31)] }, as: UTF8.self)
    }
}
