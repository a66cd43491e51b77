import StoreModels

/// Callbacks that are still to be sent, by the instant each is due. In memory only: a callback is a hint, and one that
/// is lost with the process is as good as one that was never sent.
struct CallbackSchedule: Sendable {
    /// Callbacks that may wait; one more is dropped.
    static let waitingMax = 10_000

    private struct Entry {
        let due: Timestamp
        let chargeKey: String
    }

    /// By `due`; of the same instant in the order they came.
    private var entries: [Entry] = []

    /// - Returns: false when too many wait and this one is dropped.
    @discardableResult
    mutating func add(_ chargeKey: String, due: Timestamp) -> Bool {
        guard entries.count < Self.waitingMax else { return false }
        // Nearly always behind the last one, because all wait about equally long.
        let position = entries.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        entries.insert(Entry(due: due, chargeKey: chargeKey), at: position)
        return true
    }

    /// Takes out what is due, in order.
    mutating func takeDue(now: Timestamp) -> [String] {
        let due = entries.prefix { $0.due <= now }
        defer { entries.removeFirst(due.count) }
        return due.map(\.chargeKey)
    }

    /// When the next one is due; nil when none waits.
    var next: Timestamp? { entries.first?.due }
}
