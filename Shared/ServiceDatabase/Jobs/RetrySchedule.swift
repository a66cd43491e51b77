/// When what brought no outcome is tried again: 100 ms after the first attempt, doubled each time, at most five seconds,
/// for each identifier by itself. It lives in memory: after a restart everything is due at once.
package struct RetrySchedule: Sendable {
    static let firstDelay: Duration = .milliseconds(100)
    static let delayMax: Duration = .seconds(5)
    /// Identifiers remembered; without their entries they would only be tried earlier.
    static let entriesMax = 10_000

    private struct Entry {
        var attempts: Int
        var due: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]

    package init() {}

    /// How long the next attempt waits.
    /// - Parameter attempts: those that brought no outcome, at least 1.
    package static func delay(afterAttempts attempts: Int) -> Duration {
        min(firstDelay * (1 << min(max(attempts, 1) - 1, 10)), delayMax)
    }

    /// Whether it may be tried; what is not known is due at once.
    package func isDue(_ id: String, now: ContinuousClock.Instant) -> Bool { entries[id].map { $0.due <= now } ?? true }

    /// Notes an attempt that brought no outcome.
    package mutating func failed(_ id: String, now: ContinuousClock.Instant) {
        if entries.count >= Self.entriesMax { entries.removeAll() }
        let attempts = (entries[id]?.attempts ?? 0) + 1
        entries[id] = Entry(attempts: attempts, due: now + Self.delay(afterAttempts: attempts))
    }

    /// There is an outcome, or news: it is due at once, and its attempts are counted from the beginning.
    package mutating func settled(_ id: String) { entries[id] = nil }
}
