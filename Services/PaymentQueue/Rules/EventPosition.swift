/// A place among the events of the whole store, in an order in which nothing comes in before a place that was read.
///
/// Where commits come one after the other the journal's own number is that order. Where they run side by side a row may
/// appear before a lower one does; there the database's number of the writing transaction comes first.
package struct EventPosition: Hashable, Comparable, Sendable {
    /// 0 on SQLite.
    package var transaction: Int64
    /// The journal row's number.
    package var row: Int64

    package init(transaction: Int64 = 0, row: Int64) {
        self.transaction = transaction
        self.row = row
    }

    package static func < (left: EventPosition, right: EventPosition) -> Bool {
        (left.transaction, left.row) < (right.transaction, right.row)
    }
}
