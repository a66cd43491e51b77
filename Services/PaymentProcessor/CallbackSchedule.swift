import StoreModels

/// Callbacks to be sent, by the instant each is due. They are in memory only: a callback is a hint, and losing it with
/// the process is allowed.
struct CallbackSchedule: Sendable {
    /// Maximum number of waiting callbacks; one more is dropped.
    static let waitingMax = 10_000

    private struct Entry {
        let due: Timestamp
        let chargeKey: String
    }

    /// Sorted by `due`; equal instants in the order they came.
    private var entries: [Entry] = []

    /// Adds a callback.
    ///
    /// - Returns: False when too many wait and this one is dropped.
    @discardableResult
    mutating func add(_ chargeKey: String, due: Timestamp) -> Bool {
        guard entries.count < Self.waitingMax else { return false }
        // Nearly always after the last one, because all wait about equally long.
        let position = entries.lastIndex { $0.due <= due }.map { $0 + 1 } ?? 0
        entries.insert(Entry(due: due, chargeKey: chargeKey), at: position)
        return true
    }

    /// Removes and returns due callbacks, in order.
    mutating func takeDue(now: Timestamp) -> [String] {
        let due = entries.prefix { $0.due <= now }
        defer { entries.removeFirst(due.count) }
        return due.map(\.chargeKey)
    }

    /// The instant the next callback is due; nil when none waits.
    var next: Timestamp? { entries.first?.due }
}
