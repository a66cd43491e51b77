/// How long something ready had to wait for the loop lately: the longest turn of the last ten seconds, or how much later
/// than asked for a timer came, when the process itself was kept from running.
struct LoopLag {
    static let window: Duration = .seconds(10)

    /// The longest of each second, the oldest first.
    private var seconds: [(second: Int64, microseconds: Int)] = []

    /// Notes what was found since the last call.
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

    /// Microseconds, counting those of the turn that is asked in.
    func longest(now: Duration) -> Int {
        let first = now.components.seconds - Self.window.components.seconds
        return seconds.lazy.filter { $0.second > first }.map(\.microseconds).max() ?? 0
    }
}
