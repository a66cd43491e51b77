import StoreModels

/// What a move of the clock has brought about:
///
/// ```
/// 2026-11-21 → 2027-02-21   3 renewals
///   2026-11-28  renewed  alice  com.example.pro.monthly  9.99 USD  until 2026-12-28
/// ```
struct ClockMoveOutcome: Sendable {
    let advance: ClockAdvance
    /// Afterwards; nil when it could not be asked.
    let clock: AppClockState?

    init(_ advance: ClockAdvance, clock: AppClockState?) {
        self.advance = advance
        self.clock = clock
    }

    var answer: Answer {
        var members = JSONText.value(advance).objectValue ?? [:]
        members["events"] = .array(lines.json)
        members["summary"] = .string(summary)
        members["counts"] = .object(counts.mapValues { .integer($0) })
        if let nextEvent = clock?.nextEvent { members["nextEvent"] = JSONText.value(nextEvent) }
        let names = advance.events.compactMap(\.transactionIdentifier)
        return Answer(data: .object(members), names: names, next: next) { [self] in text($0) }
    }

    private var isShort: Bool { SubscriptionEventLines.isShort(from: advance.from, to: advance.to) }

    private var lines: SubscriptionEventLines {
        SubscriptionEventLines(advance.events, showsAccount: true, showsTime: isShort)
    }

    private func text(_ style: Style) -> String {
        let instant = isShort ? Words.time : ClockWords.date
        var text = "\(instant(advance.from)) → \(instant(advance.to))   \(summary)\n" + lines.text(style, indent: "  ")
        if advance.truncated { text += "  … and \(advance.eventCount - advance.events.count) more\n" }
        if let next = clock?.nextEvent { text += "next event  \(Words.time(next))\n" }
        return text
    }

    /// By kind, of those that are listed.
    private var counts: [String: Int] {
        advance.events.reduce(into: [:]) { $0[$1.kind.rawValue, default: 0] += 1 }
    }

    /// `3 renewals, 1 declined charge`; of a list that was cut only how many there were, because kinds are counted from
    /// the list.
    private var summary: String {
        guard advance.eventCount > 0 else { return "nothing was due" }
        guard !advance.truncated else { return Words.count(advance.eventCount, "event") }
        let nouns: [(SubscriptionEvent.Kind, String, String)] = [
            (.renewed, "renewal", "renewals"), (.recovered, "recovery", "recoveries"),
            (.billingFailed, "declined charge", "declined charges"), (.expired, "expiry", "expiries"),
        ]
        var parts = nouns.compactMap { kind, one, several in
            counts[kind.rawValue].map { "\($0) \($0 == 1 ? one : several)" }
        }
        let others = advance.eventCount - nouns.reduce(0) { $0 + (counts[$1.0.rawValue] ?? 0) }
        if others > 0 { parts.append(Words.count(others, parts.isEmpty ? "event" : "other event")) }
        return parts.joined(separator: ", ")
    }

    private var next: String {
        let subscriptions = Set(exactly: advance.events.map(\.originalTransactionIdentifier))
        if subscriptions.count == 1, let one = subscriptions.first { return "storebus sub timeline \(one)" }
        return (subscriptions.isEmpty ? "storebus time status" : "storebus sub list")
            + Known.option(advance.bundleId)
    }
}
