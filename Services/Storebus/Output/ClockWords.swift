import StoreModels

/// How an app's business clock reads.
enum ClockWords {
    /// `real time`, `one renewal every thirty seconds`, `720 times as fast`
    static func rate(_ rate: ClockRate) -> String {
        switch rate {
        case .named(let name): words(name.rawValue)
        case .factor(1): words(SubscriptionRenewalRate.realTime.rawValue)
        case .factor(let factor): "\(number(factor)) times as fast"
        }
    }

    /// `2026-11-21 10:00:00Z, real time`
    static func state(_ clock: AppClockState) -> String {
        "\(Words.time(clock.now)), \(clock.frozen ? "frozen" : rate(clock.rate))"
    }

    /// `7 days`, `5 hours`: the largest unit that fits once, rounded down.
    static func distance(from start: Timestamp, to end: Timestamp) -> String {
        let seconds = max(0, end.milliseconds - start.milliseconds) / 1000
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        for (length, name) in units where seconds >= length { return Words.count(Int(seconds / length), name) }
        return Words.count(Int(seconds), "second")
    }

    /// `2026-11-28`
    static func date(_ timestamp: Timestamp) -> String { String(timestamp.description.prefix(10)) }

    /// `oneSecondIsOneDay` as people write it.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { text, letter in
            text += letter.isUppercase ? " \(letter.lowercased())" : "\(letter)"
        }
    }

    /// Whole factors without a point.
    private static func number(_ factor: Double) -> String {
        factor == factor.rounded() ? "\(Int64(factor))" : "\(factor)"
    }
}
