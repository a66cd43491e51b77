import EventLoop

/// Repeats requests that fail temporarily: a killed service is restarted within a second or so.
enum Retry {
    static let pause = Duration.milliseconds(200)

    /// Repeats `attempt` while its error is retryable and time is left. Only for operations that are safe to
    /// repeat: sessions, reads, finishing.
    static func run<Value>(
        until deadline: ContinuousClock.Instant, _ attempt: () async throws(CLIError) -> Value
    ) async throws(CLIError) -> Value {
        while true {
            do {
                return try await attempt()
            } catch  where (error.retryable || error.status == .temporary) && deadline - .now > pause {
                try? await ContinuousClock().sleep(for: pause)
            }
        }
    }
}

/// The delay before a service is restarted: 100 ms, doubled each time up to 5 s. It is reset to
/// 100 ms once the service has run for 10 s.
struct Backoff: Hashable, Sendable {
    private static let delays = EventLoop.Backoff(min: .milliseconds(100), max: .seconds(5))
    /// Uptime after which the delay is reset.
    static let resetAfter = Duration.seconds(10)

    private var attempts = 0

    /// Returns the delay after an uptime of `lived`.
    mutating func next(lived: Duration) -> Duration {
        if lived >= Self.resetAfter { attempts = 0 }
        attempts += 1
        return Self.delays.bound(afterAttempts: attempts)
    }
}
