import EventLoop

/// Repeats what fails for now: a service that was killed is started again within a second or so.
enum Retry {
    static let pause = Duration.milliseconds(200)

    /// Calls `attempt` again while its error says that the same request may succeed and time is left. Only for what may
    /// be done twice: sessions, reads, finishing.
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

/// How long to wait before a service that ended is started again: 100 ms, doubled each time up to 5 s, and back to
/// 100 ms once it has lived for 10 s.
struct Backoff: Hashable, Sendable {
    private static let delays = EventLoop.Backoff(min: .milliseconds(100), max: .seconds(5))
    /// A service that lived this long did not die of what ended the one before.
    static let resetAfter = Duration.seconds(10)

    private var attempts = 0

    /// The delay after a life of `lived`.
    mutating func next(lived: Duration) -> Duration {
        if lived >= Self.resetAfter { attempts = 0 }
        attempts += 1
        return Self.delays.bound(afterAttempts: attempts)
    }
}
