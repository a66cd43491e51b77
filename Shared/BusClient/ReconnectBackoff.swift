/// The delay before the next attempt to connect. It is zero after a connection that had lived, then full jitter below a
/// bound that doubles from 100 ms to 5 s. Attempts never end.
package struct ReconnectBackoff {
    /// Attempts since the last connection that lived.
    package private(set) var attempts = 0
    private var random: any RandomNumberGenerator & Sendable

    package init(random: any RandomNumberGenerator & Sendable) { self.random = random }

    /// The wait before the next attempt.
    package mutating func next() -> Duration {
        defer { attempts += 1 }
        if attempts == 0 { return .zero }
        return bound(attempts) * Double.random(in: 0...1, using: &random)
    }

    /// A connection lived long enough to start over.
    package mutating func reset() { attempts = 0 }

    /// The longest the wait before attempt `number` may be.
    package func bound(_ number: Int) -> Duration {
        // 2⁶ · 100 ms is above the largest bound already; larger shifts would only overflow.
        min(BusClientLimits.backoffMin * (1 << min(max(number - 1, 0), 6)), BusClientLimits.backoffMax)
    }
}
