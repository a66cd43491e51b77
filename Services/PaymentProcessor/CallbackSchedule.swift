import StoreModels

/// The waiting callbacks, by due time. They are in memory only: a callback is a hint and may be lost with the process.
struct CallbackSchedule: Sendable {
    /// Maximum number of waiting callbacks. One more is dropped.
    static let waitingMax = 10_000

    private struct Entry {
        let due: Timestamp
        let chargeKey: String
    }

    /// The callbacks sorted by `due`. Those due together are in the order of adding.
    private var entries: [Entry] = []

    /// Adds a callback.
    ///
    /// - Returns: False when too many callbacks wait, so that this one is dropped.
    @discardableResult
    mutating func add(_ chargeKey: String, due: Timestamp) -> Bool {
        guard entries.count < Self.waitingMax else { return false }
        // Nearly always after the last one, because all have similar delays.
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

    /// The time at which the next callback is due, if one waits.
    var next: Timestamp? { entries.first?.due }
}
