/// The waits between attempts: the longest wait doubles from `min` to `max`.
package struct Backoff: Hashable, Sendable {
    /// The longest wait after the first failed attempt. It is above zero.
    package let min: Duration
    /// The longest wait after any number of attempts. It is at least `min`.
    package let max: Duration

    /// Creates waits.
    /// - Precondition: `min` is above zero and at most `max`.
    package init(min: Duration, max: Duration) {
        precondition(.zero < min && min <= max, "a backoff grows from more than nothing")
        self.min = min
        self.max = max
    }

    /// The longest wait after so many failed attempts, at least 1.
    package func bound(afterAttempts attempts: Int) -> Duration {
        // A greatest wait is below a thousand least ones; more doublings would only overflow.
        Swift.min(min * (1 << Swift.min(Swift.max(attempts, 1) - 1, 10)), max)
    }

    /// A random part of the longest wait. Clients that failed together then do not return together.
    /// - Parameter jitter: The range of the part. It begins at 0 for full jitter.
    package func wait(afterAttempts attempts: Int, jitter: ClosedRange<Double> = 0...1) -> Duration {
        bound(afterAttempts: attempts) * Double.random(in: jitter)
    }
}
