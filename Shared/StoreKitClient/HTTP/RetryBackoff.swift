/// The waits between attempts: exponential backoff with full jitter.
///
/// EventLoop's is not available here: this library is also a separate package (`Client/`).
struct RetryBackoff: Sendable {
    private let timing: ClientTiming
    private(set) var attempts = 0

    init(_ timing: ClientTiming) { self.timing = timing }

    /// Returns the wait before the next attempt.
    /// - Parameter asked: The minimum that the store asked for.
    mutating func next(atLeast asked: Duration? = nil) -> Duration {
        defer { attempts += 1 }
        var random = SystemRandomNumberGenerator()
        return max(asked ?? .zero, bound(attempts) * Double.random(in: 0...1, using: &random))
    }

    /// Begins again with the shortest wait, after a success.
    mutating func reset() { attempts = 0 }

    /// Returns the longest wait after `number` attempts.
    func bound(_ number: Int) -> Duration {
        // Ten doublings exceed any sensible limit; more could overflow.
        min(timing.backoffMin * (1 << min(number, 10)), timing.backoffMax)
    }
}
