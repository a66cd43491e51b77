/// A place among the events of intents, in an order in which nothing comes in before a place that was read.
///
/// Where commits come one after the other the row's number is that order. Where they run side by side a row may appear
/// before a lower one does; there the database's number of the writing transaction comes first.
struct EventPosition: Hashable, Comparable, Sendable {
    /// 0 on SQLite.
    var transaction: Int64 = 0
    var row: Int64

    static func < (left: EventPosition, right: EventPosition) -> Bool {
        (left.transaction, left.row) < (right.transaction, right.row)
    }
}
