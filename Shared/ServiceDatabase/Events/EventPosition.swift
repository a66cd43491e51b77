/// A place among the rows of an ``EventTable``. New rows come in only after the places that were read.
///
/// If commits come one after the other, the row's own number is the place. If they run concurrently, a row may appear
/// before a lower one does. There the database's number of the writing transaction comes first.
package struct EventPosition: Hashable, Comparable, Sendable {
    /// 0 on SQLite.
    package var transaction: Int64
    /// The row's number.
    package var row: Int64

    /// Creates a place. `transaction` is for PostgreSQL only.
    package init(transaction: Int64 = 0, row: Int64) {
        self.transaction = transaction
        self.row = row
    }

    package static func < (left: EventPosition, right: EventPosition) -> Bool {
        (left.transaction, left.row) < (right.transaction, right.row)
    }
}

extension EventPosition {
    /// An identifier that sorts as the places do: `prefix` and 26 characters. Clients get it as an event's identifier,
    /// and send it as `after`.
    package func identifier(_ prefix: String) -> String {
        prefix + CrockfordBase32.digits(UInt64(transaction), count: 13) + CrockfordBase32.digits(UInt64(row), count: 13)
    }

    /// The position that an identifier made by ``identifier(_:)`` encodes. Nil for anything else.
    package init?(_ identifier: String, prefix: String) {
        guard identifier.utf8.starts(with: prefix.utf8) else { return nil }
        let digits = Array(identifier.utf8.dropFirst(prefix.utf8.count))
        guard digits.count == 26, let transaction = CrockfordBase32.number(digits[..<13]),
            let row = CrockfordBase32.number(digits[13...])
        else { return nil }
        self.init(transaction: transaction, row: row)
    }
}
