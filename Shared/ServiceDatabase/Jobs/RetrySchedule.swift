import EventLoop

/// Decides when work without an outcome is tried again. That is 100 ms after the first attempt, doubled each time, at
/// most five seconds, for each identifier by itself. It lives in memory: after a restart everything is due at once.
///
/// It remembers a bounded number of identifiers. Further ones are retried every five seconds, many at a time. They wait
/// as long as the ones that have failed most, and are not forgotten, or all of them would be due at each sweep.
package struct RetrySchedule: Sendable {
    static let delays = Backoff(min: .milliseconds(100), max: .seconds(5))
    /// Maximum number of identifiers remembered one by one.
    static let entriesMax = 10_000
    /// How long after its due time an untried identifier is forgotten. It is done, or another process's by then.
    static let staleAfter: Duration = .seconds(60)
    /// The number of places that identifiers beyond the bound share.
    static let sharedCount = 256

    private struct Entry {
        var attempts: Int
        var due: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]
    /// The first failure of the last sweep, by shared slot. Empty until it is needed.
    private var shared: [ContinuousClock.Instant] = []
    private var lastCleared: ContinuousClock.Instant?

    /// Creates a schedule in which everything is due.
    package init() {}

    /// How long the next attempt waits.
    /// - Parameter attempts: Attempts without an outcome, at least 1.
    package static func delay(afterAttempts attempts: Int) -> Duration {
        delays.bound(afterAttempts: attempts)
    }

    /// Whether it may be tried. An unknown identifier is due immediately.
    /// - Parameter now: One instant for the whole sweep, before the attempts that follow.
    package func isDue(_ id: String, now: ContinuousClock.Instant) -> Bool {
        if let entry = entries[id] { return entry.due <= now }
        guard entries.count >= Self.entriesMax, !shared.isEmpty else { return true }
        let failed = shared[Self.slot(of: id)]
        return now <= failed || now - failed >= Self.delays.max
    }

    /// Notes an attempt that brought no outcome.
    package mutating func failed(_ id: String, now: ContinuousClock.Instant) {
        if entries[id] == nil, entries.count >= Self.entriesMax { clearStale(now) }
        guard entries[id] != nil || entries.count < Self.entriesMax else { return share(id, now) }
        let attempts = (entries[id]?.attempts ?? 0) + 1
        entries[id] = Entry(attempts: attempts, due: now + Self.delay(afterAttempts: attempts))
    }

    /// Forgets the attempts of an identifier that has an outcome, or news. It is due immediately.
    package mutating func settled(_ id: String) { entries[id] = nil }

    private mutating func share(_ id: String, _ now: ContinuousClock.Instant) {
        if shared.isEmpty { shared = Array(repeating: now - Self.delays.max, count: Self.sharedCount) }
        if now - shared[Self.slot(of: id)] >= Self.delays.max { shared[Self.slot(of: id)] = now }
    }

    private static func slot(of id: String) -> Int { Int(id.hashValue.magnitude % UInt(sharedCount)) }

    private mutating func clearStale(_ now: ContinuousClock.Instant) {
        if let lastCleared, now - lastCleared < Self.delays.max { return }
        lastCleared = now
        entries = entries.filter { now - $0.value.due < Self.staleAfter }
    }
}
