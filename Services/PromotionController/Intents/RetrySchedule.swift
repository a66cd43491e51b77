/// When a payment that PaymentQueue has not answered about is handed over again: 100 ms after the first time, doubled
/// each time, at most five seconds, per intent. It lives in memory: after a restart all of them are due at once.
struct RetrySchedule: Sendable {
    static let firstDelay: Duration = .milliseconds(100)
    static let delayMax: Duration = .seconds(5)
    /// Intents remembered; without their entries they would only be tried earlier.
    static let entriesMax = 10_000

    private struct Entry {
        var attempts: Int
        var due: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]

    static func delay(afterAttempts attempts: Int) -> Duration {
        min(firstDelay * (1 << min(max(attempts, 1) - 1, 10)), delayMax)
    }

    /// One that is not known is due at once.
    func isDue(_ id: String, now: ContinuousClock.Instant) -> Bool { entries[id].map { $0.due <= now } ?? true }

    mutating func failed(_ id: String, now: ContinuousClock.Instant) {
        if entries.count >= Self.entriesMax { entries.removeAll() }
        let attempts = (entries[id]?.attempts ?? 0) + 1
        entries[id] = Entry(attempts: attempts, due: now + Self.delay(afterAttempts: attempts))
    }

    mutating func settled(_ id: String) { entries[id] = nil }
}
