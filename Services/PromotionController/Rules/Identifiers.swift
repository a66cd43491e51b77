import StoreModels

/// Makes the identifiers that clients see and never interpret: Crockford's base 32 in lower case, sorted by age.
enum Identifiers {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// `i_` and 26 characters: 48 bits of milliseconds, then 80 random ones.
    static func intent(wall: Timestamp) -> String { "i_" + sortable(wall) }

    /// `ap_` and 26 characters; PaymentQueue's prompts begin with `p_`.
    static func prompt(wall: Timestamp) -> String { "ap_" + sortable(wall) }

    /// `ie_` and 26 characters: a place among the events of intents.
    static func event(_ position: EventPosition) -> String {
        "ie_" + digits(UInt64(position.transaction), count: 13) + digits(UInt64(position.row), count: 13)
    }

    /// The place an identifier made by ``event(_:)`` stands for.
    /// - Returns: nil for anything else.
    static func eventPosition(_ identifier: String) -> EventPosition? {
        let bytes = Array(identifier.utf8)
        guard bytes.count == 29, bytes.starts(with: Array("ie_".utf8)), let transaction = number(bytes[3..<16]),
            let row = number(bytes[16...])
        else { return nil }
        return EventPosition(transaction: transaction, row: row)
    }

    private static func sortable(_ wall: Timestamp) -> String {
        var random = SystemRandomNumberGenerator()
        let time = UInt64(clamping: wall.milliseconds) & 0xFFFF_FFFF_FFFF
        return digits(time, count: 10) + digits(random.next(), count: 8) + digits(random.next(), count: 8)
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
