/// The longest wait for the loop in the last ten seconds. It is the longest turn, or the lateness of a timer when the
/// process itself was not scheduled.
struct LoopLag {
    static let window: Duration = .seconds(10)

    /// The maximum of each second, the oldest first.
    private var seconds: [(second: Int64, microseconds: Int)] = []

    /// Records the maximum since the last call.
    mutating func record(turnMicroseconds: Int, timerLateness: Duration, now: Duration) {
        let second = now.components.seconds
        let lateness = max(0, Int(timerLateness / .microseconds(1)))
        let found = max(turnMicroseconds, lateness)
        if let last = seconds.indices.last, seconds[last].second == second {
            seconds[last].microseconds = max(seconds[last].microseconds, found)
        } else {
            seconds.removeAll { $0.second <= second - Self.window.components.seconds }
            seconds.append((second, found))
        }
    }

    /// Returns the longest wait in microseconds, including the current turn.
    func longest(now: Duration) -> Int {
        let first = now.components.seconds - Self.window.components.seconds
        return seconds.lazy.filter { $0.second > first }.map(\.microseconds).max() ?? 0
    }
}
