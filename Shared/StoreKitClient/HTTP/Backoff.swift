/// The waits between attempts: full jitter below a bound that doubles from the least to the greatest.
///
/// The store's own `Backoff` is in EventLoop, which this library does without: it is a package by itself (`Client/`).
struct Backoff: Sendable {
    private let timing: ClientTiming
    private(set) var attempts = 0

    init(_ timing: ClientTiming) { self.timing = timing }

    /// The wait before the next attempt; never less than the store asked for.
    mutating func next(atLeast asked: Duration? = nil) -> Duration {
        defer { attempts += 1 }
        var random = SystemRandomNumberGenerator()
        return max(asked ?? .zero, bound(attempts) * Double.random(in: 0...1, using: &random))
    }

    /// Something came of the last attempt.
    mutating func reset() { attempts = 0 }

    /// The longest delay after `number` attempts.
    func bound(_ number: Int) -> Duration {
        // Ten doublings are beyond any bound that makes sense; more would only overflow.
        min(timing.backoffMin * (1 << min(number, 10)), timing.backoffMax)
    }
}
