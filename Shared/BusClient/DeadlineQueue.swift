/// The deadlines of the requests in flight, the earliest first: a binary heap.
///
/// An answered request stays until its time comes or until most entries are of that kind; removing it from the middle
/// would cost more than it saves.
package struct DeadlineQueue {
    private struct Entry {
        let deadline: Duration
        let token: UInt64
    }

    private var heap: [Entry] = []

    package init() {}

    package var earliest: Duration? { heap.first?.deadline }
    package var count: Int { heap.count }

    package mutating func add(_ token: UInt64, deadline: Duration) {
        heap.append(Entry(deadline: deadline, token: token))
        var child = heap.count - 1
        while child > 0, case let parent = (child - 1) / 2, heap[child].deadline < heap[parent].deadline {
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the next token whose time has come.
    package mutating func popExpired(now: Duration) -> UInt64? {
        guard let first = heap.first, first.deadline <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink()
        return first.token
    }

    /// Drops entries whose token is no longer live, once they are the majority.
    package mutating func compact(live: Int, _ isLive: (UInt64) -> Bool) {
        guard heap.count > 64, heap.count > 2 * live else { return }
        let kept = heap.filter { isLive($0.token) }
        heap = []
        for entry in kept { add(entry.token, deadline: entry.deadline) }
    }

    package mutating func removeAll() { heap = [] }

    private mutating func sink() {
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].deadline < heap[smallest].deadline { smallest = child }
            if smallest == parent { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
