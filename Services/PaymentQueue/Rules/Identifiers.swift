import ServiceDatabase
import StoreModels

/// Makes the identifiers that clients see and never interpret.
enum Identifiers {
    /// `t_` and 26 characters, which sort by age.
    static func transaction(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("t_", wall: wall, random: &random)
    }

    /// The number in a `transactionIdentifier`, which is all digits.
    /// - Returns: Nil for anything else, an `id` included.
    static func transactionNumber(_ text: String) -> Int64? {
        guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }

    /// `r_` and 26 characters, which sort by age too.
    static func restore(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("r_", wall: wall, random: &random)
    }

    /// `a_` and 26 characters, which sort by age too.
    static func advance(wall: Timestamp, random: inout some RandomNumberGenerator) -> String {
        SortableIdentifier.make("a_", wall: wall, random: &random)
    }

    /// A download's identifier: `d_` and the part of the transaction's behind its `t_`. A transaction comes with one
    /// package at most, so the identifier finds the transaction without a separate table.
    static func download(of transaction: String) -> String { "d_" + transaction.dropFirst(2) }

    /// The transaction a download's identifier belongs to; whether there is one is the database's to say.
    /// - Returns: Nil for an identifier that is not a download's.
    static func transaction(ofDownload identifier: String) -> String? {
        guard identifier.utf8.count <= 64, identifier.hasPrefix("d_") else { return nil }
        return "t_" + identifier.dropFirst(2)
    }

    /// `c_` and 24 characters, 120 random bits.
    static func customer(random: inout some RandomNumberGenerator) -> String {
        "c_" + (0..<3).map { _ in CrockfordBase32.digits(random.next(), count: 8) }.joined()
    }

    /// `p_` and 13 characters: prompts are numbered, and their identifiers sort as they came.
    static func prompt(_ number: Int64) -> String { "p_" + CrockfordBase32.digits(UInt64(number), count: 13) }

    /// `e_` and 26 characters: a place among the store's events, which sorts as they came.
    static func event(_ position: EventPosition) -> String { position.identifier(eventPrefix) }

    static let eventPrefix = "e_"
}
