import EventLoop

/// The waits of a client that reconnects. A stable connection is followed by no wait, then by exponential backoff with
/// full jitter.
package struct ReconnectBackoff {
    private static let backoff = Backoff(min: BusClientLimits.backoffMin, max: BusClientLimits.backoffMax)

    /// Attempts since the last stable connection.
    package private(set) var attempts = 0
    private var random: any RandomNumberGenerator & Sendable

    /// Creates waits whose jitter `random` draws. Tests pass a seeded generator.
    package init(random: any RandomNumberGenerator & Sendable) { self.random = random }

    /// The wait before the next attempt.
    package mutating func next() -> Duration {
        defer { attempts += 1 }
        if attempts == 0 { return .zero }
        return bound(attempts) * Double.random(in: 0...1, using: &random)
    }

    /// Starts over after a stable connection.
    package mutating func reset() { attempts = 0 }

    /// The longest wait after `number` attempts.
    package func bound(_ number: Int) -> Duration { Self.backoff.bound(afterAttempts: number) }
}
