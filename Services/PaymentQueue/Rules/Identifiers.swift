import ServiceDatabase
import StoreModels

/// Makes the identifiers that clients receive and do not interpret.
enum Identifiers {
    /// Returns `t_` and 26 characters that sort by age.
    static func transaction(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("t_", wall: wall, random: &random)
    }

    /// Returns the number in a `transactionIdentifier`, which consists of digits.
    /// - Returns: The number, or nil for any other text, an `id` included.
    static func transactionNumber(_ text: String) -> Int64? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// Returns `r_` and 26 characters that sort by age.
    static func restore(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("r_", wall: wall, random: &random)
    }

    /// Returns `a_` and 26 characters that sort by age.
    static func advance(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("a_", wall: wall, random: &random)
    }

    /// Returns `q_` and 26 characters that sort by age.
    static func refundRequest(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("q_", wall: wall, random: &random)
    }

    /// Returns `o_` and 26 characters that sort by age.
    static func offerCode(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("o_", wall: wall, random: &random)
    }

    /// Returns a download's identifier: `d_` and the transaction's identifier without its `t_`.
    ///
    /// A transaction has at most one package, so this finds the transaction without a separate table.
    static func download(of transaction: String) -> String { "d_" + transaction.dropFirst(2) }

    /// Returns the transaction a download's identifier names. Only the database knows whether it exists.
    /// - Returns: Nil for an identifier that is not a download's.
    static func transaction(ofDownload identifier: String) -> String? {
        guard identifier.utf8.count <= 64, identifier.hasPrefix("d_") else { return nil }
        return "t_" + identifier.dropFirst(2)
    }

    /// Returns `c_` and 24 characters with 120 random bits.
    static func customer(random: inout some RandomNumberGenerator) -> String {
        "c_" + (0..<3).map { _ in CrockfordBase32.digits(random.next(), count: 8) }.joined()
    }

    /// Returns `p_` and 13 characters that sort by the prompt's number.
    static func prompt(_ number: Int64) -> String { "p_" + CrockfordBase32.digits(UInt64(number), count: 13) }

    /// Returns `e_` and 26 characters that sort by the event's position.
    static func event(_ position: EventPosition) -> String { position.identifier(eventPrefix) }

    static let eventPrefix = "e_"
}
