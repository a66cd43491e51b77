/// When purchases with an unknown outcome are tried again: 100 ms after the first attempt, doubled each time, at most
/// five seconds, per purchase. It lives in memory: after a restart everything is tried at once.
package struct RetrySchedule: Sendable {
    static let firstDelay: Duration = .milliseconds(100)
    static let delayMax: Duration = .seconds(5)
    /// Purchases remembered; the oldest entries would only make a retry come early.
    static let entriesMax = 10_000

    private struct Entry {
        var attempts: Int
        var due: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]

    package init() {}

    package static func delay(afterAttempts attempts: Int) -> Duration {
        min(firstDelay * (1 << min(max(attempts, 1) - 1, 10)), delayMax)
    }

    /// Whether the purchase may be tried; one that is not known is due at once.
    package func isDue(_ id: String, now: ContinuousClock.Instant) -> Bool { entries[id].map { $0.due <= now } ?? true }

    /// Notes an attempt that brought no outcome.
    package mutating func failed(_ id: String, now: ContinuousClock.Instant) {
        if entries.count >= Self.entriesMax { entries.removeAll() }
        let attempts = (entries[id]?.attempts ?? 0) + 1
        entries[id] = Entry(attempts: attempts, due: now + Self.delay(afterAttempts: attempts))
    }

    package mutating func settled(_ id: String) { entries[id] = nil }
}
