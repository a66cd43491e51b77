import HeapModule

/// The deadlines of the requests in flight, the earliest first.
///
/// The entry of an answered request stays until its deadline, or until most entries belong to answered requests:
/// removing it from the middle would cost more than it saves.
package struct DeadlineQueue {
    private struct Entry: Comparable {
        let deadline: Duration
        let token: UInt64

        static func < (left: Entry, right: Entry) -> Bool { left.deadline < right.deadline }
    }

    private var heap = Heap<Entry>()

    /// Creates an empty queue.
    package init() {}

    /// The earliest deadline of any entry, answered ones included. Nil when empty.
    package var earliest: Duration? { heap.min?.deadline }
    /// Entries, those of answered requests included.
    package var count: Int { heap.count }

    /// Adds a deadline on the loop's clock. A token is added once.
    package mutating func add(_ token: UInt64, deadline: Duration) {
        heap.insert(Entry(deadline: deadline, token: token))
    }

    /// Removes and returns the token with the earliest deadline, if that has passed.
    package mutating func popExpired(now: Duration) -> UInt64? {
        guard let first = heap.min, first.deadline <= now else { return nil }
        return heap.removeMin().token
    }

    /// Removes the entries of answered requests once they are the majority of more than 64.
    package mutating func compact(live: Int, _ isLive: (UInt64) -> Bool) {
        guard heap.count > 64, heap.count > 2 * live else { return }
        heap = Heap(heap.unordered.filter { isLive($0.token) })
    }

    /// Forgets all deadlines, as at the loss of a connection.
    package mutating func removeAll() { heap = Heap() }
}
