import ArgumentParser
import StoreModels

/// A clock as `storebus time` shows it:
///
/// ```
/// app    com.example.app
/// clock  2026-11-21 10:00:00Z, real time
/// next   2026-11-28 10:00:04Z, in 7 days
/// ```
struct ClockInfo: Sendable {
    let clock: AppClockState
    /// Nil when the app's settings cannot be read.
    let app: App?

    var result: CommandResult {
        let renewals = app.flatMap(RenewalFormat.sentence)
        let fields: FieldList = [
            "app": clock.bundleId, "clock": ClockFormat.state(clock),
            "next": clock.nextEvent.map { "\(Format.time($0)), \(Self.due(clock.now, $0))" } ?? "nothing is due",
            "renewals": renewals,
        ]
        let members = JSONText.value(clock).with([
            "summary": .string("\(ClockFormat.state(clock)), \(nextWords)"),
            "renewals": renewals.map { .string($0) },
        ])
        return CommandResult(
            fields, data: members, names: [clock.bundleId], next: next,
            notes: [app.flatMap(RenewalFormat.note)].compactMap(\.self))
    }

    private var nextWords: String { clock.nextEvent.map { Self.due(clock.now, $0) } ?? "nothing is due" }

    /// `in 7 days`, or `now` for an event that is due.
    private static func due(_ now: Timestamp, _ event: Timestamp) -> String {
        event <= now ? "now" : "in \(ClockFormat.distance(from: now, to: event))"
    }

    private var next: Advice {
        let words: ShellCommand = clock.nextEvent == nil ? "advance 1mo" : "next"
        return "storebus time \(words)\(AppOptions.flag(clock.bundleId))"
    }
}

/// The events of an advance:
///
/// ```
/// 2026-11-21 → 2027-02-21   3 renewals
///   2026-11-28  renewed  alice  com.example.pro.monthly  9.99 USD  until 2026-12-28
/// ```
struct ClockMoveOutcome: Sendable {
    let advance: ClockAdvance
    /// The clock afterwards, or nil if it could not be read.
    let clock: AppClockState?

    var result: CommandResult {
        let members = JSONText.value(advance).with([
            "events": .array(lines.json), "summary": .string(summary),
            "counts": .object(counts.mapValues { .integer($0) }),
            "nextEvent": clock?.nextEvent.map { JSONText.value($0) },
        ])
        let names = advance.events.compactMap(\.transactionIdentifier)
        return CommandResult(data: members, names: names, next: next) { [self] in text($0) }
    }

    private var isShort: Bool { SubscriptionEventLines.isShort(from: advance.from, to: advance.to) }

    private var lines: SubscriptionEventLines {
        SubscriptionEventLines(advance.events, showsAccount: true, showsTime: isShort)
    }

    private func text(_ style: Style) -> String {
        let instant = isShort ? Format.time : ClockFormat.date
        var text = "\(instant(advance.from)) → \(instant(advance.to))   \(summary)\n" + lines.text(style, indent: "  ")
        if advance.truncated { text += "  … and \(advance.eventCount - advance.events.count) more\n" }
        if let next = clock?.nextEvent { text += "next event  \(Format.time(next))\n" }
        return text
    }

    /// The listed events by kind.
    private var counts: [String: Int] {
        advance.events.reduce(into: [:]) { $0[$1.kind.rawValue, default: 0] += 1 }
    }

    /// `3 renewals, 1 declined charge`. For a truncated list the total number, because kinds are counted from the list.
    private var summary: String {
        guard advance.eventCount > 0 else { return "nothing was due" }
        guard !advance.truncated else { return Format.count(advance.eventCount, "event") }
        let nouns: [(SubscriptionEvent.Kind, String, String)] = [
            (.renewed, "renewal", "renewals"), (.recovered, "recovery", "recoveries"),
            (.billingFailed, "declined charge", "declined charges"), (.expired, "expiry", "expiries"),
        ]
        var parts = nouns.compactMap { kind, one, several in
            counts[kind.rawValue].map { "\($0) \($0 == 1 ? one : several)" }
        }
        let others = advance.eventCount - nouns.reduce(0) { $0 + (counts[$1.0.rawValue] ?? 0) }
        if others > 0 { parts.append(Format.count(others, parts.isEmpty ? "event" : "other event")) }
        return parts.joined(separator: ", ")
    }

    private var next: Advice {
        let subscriptions = Set(exactly: advance.events.map(\.originalTransactionIdentifier))
        if subscriptions.count == 1, let one = subscriptions.first { return "storebus sub timeline \(one)" }
        let words: ShellCommand = subscriptions.isEmpty ? "time status" : "sub list"
        return "storebus \(words)\(AppOptions.flag(advance.bundleId))"
    }
}

/// Formats an app's business clock.
enum ClockFormat {
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
        "\(Format.time(clock.now)), \(clock.frozen ? "frozen" : rate(clock.rate))"
    }

    /// `7 days`, `5 hours`: the largest unit that fits once, rounded down.
    static func distance(from start: Timestamp, to end: Timestamp) -> String {
        let seconds = max(0, end.milliseconds - start.milliseconds) / 1000
        let units: [(Int64, String)] = [(86_400, "day"), (3_600, "hour"), (60, "minute")]
        for (length, name) in units where seconds >= length { return Format.count(Int(seconds / length), name) }
        return Format.count(Int(seconds), "second")
    }

    /// `2026-11-28`
    static func date(_ timestamp: Timestamp) -> String { String(timestamp.description.prefix(10)) }

    /// `oneSecondIsOneDay` as words.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { text, letter in
            text += letter.isUppercase ? " \(letter.lowercased())" : "\(letter)"
        }
    }

    /// Formats a factor. A whole one has no point.
    private static func number(_ factor: Double) -> String {
        factor == factor.rounded() ? "\(Int64(factor))" : "\(factor)"
    }
}

/// Parses a clock's rate.
///
/// It is a name of StoreKit's, also as `one-renewal-every-thirty-seconds`, or `REAL=STORE` such as `30s=1mo`, or a
/// factor such as `720`.
enum RateText {
    /// - Returns: Nil for other text, and for a factor out of range.
    static func rate(_ text: String) -> ClockRate? {
        let halves = text.split(separator: "=", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return ClockRate(text) }
        guard let real = BusinessDuration(String(halves[0])), let store = BusinessDuration(String(halves[1])) else {
            return nil
        }
        let factor = Double(milliseconds(store)) / Double(milliseconds(real))
        return ClockRate.factors.contains(factor) ? .factor(factor) : nil
    }

    /// A year has 365 days and a month 30, because a clock runs evenly.
    private static func milliseconds(_ duration: BusinessDuration) -> Int64 {
        let days = duration.months / 12 * 365 + duration.months % 12 * 30
        return Int64(days) * 86_400_000 + duration.milliseconds
    }

    /// - Throws: A sentence for the parser, with the probable intention.
    static func validate(_ flag: String, _ text: String?) throws {
        guard let text, rate(text) == nil else { return }
        let near = Suggestion.suffix(for: text, among: words)
        throw ValidationError(
            "\(flag) is a name such as one-renewal-every-minute, REAL=STORE such as 30s=1mo, or a factor\(near)")
    }

    /// StoreKit's names in lower case with hyphens.
    static let words = SubscriptionRenewalRate.allCases.map { rate in
        rate.rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
        }
    }
}
