import StoreModels

/// A clock as `storebus time` shows it:
///
/// ```
/// app    com.example.app
/// clock  2026-11-21 10:00:00Z, real time
/// next   2026-11-28 10:00:04Z, in 7 days
/// ```
struct ClockFacts: Sendable {
    let clock: AppClockState
    /// nil when nobody can say what is set of it.
    private let app: App?

    init(_ clock: AppClockState, of app: App? = nil) {
        self.clock = clock
        self.app = app
    }

    var answer: Answer {
        var facts = Facts()
        facts.add("app", clock.bundleId)
        facts.add("clock", ClockWords.state(clock))
        facts.add(
            "next", clock.nextEvent.map { "\(Words.time($0)), \(Self.due(clock.now, $0))" } ?? "nothing is due")
        var members = JSONText.value(clock).objectValue ?? [:]
        members["summary"] = .string("\(ClockWords.state(clock)), \(nextWords)")
        if let renewals = app.flatMap(RenewalWords.sentence) {
            facts.add("renewals", renewals)
            members["renewals"] = .string(renewals)
        }
        let shown = facts
        return Answer(
            data: .object(members), names: [clock.bundleId], next: next,
            notes: [app.flatMap(RenewalWords.note)].compactMap(\.self)
        ) { shown.text($0) }
    }

    private var nextWords: String { clock.nextEvent.map { Self.due(clock.now, $0) } ?? "nothing is due" }

    /// `in 7 days`, or `now` when the store is about to do it.
    private static func due(_ now: Timestamp, _ event: Timestamp) -> String {
        event <= now ? "now" : "in \(ClockWords.distance(from: now, to: event))"
    }

    private var next: String {
        let command = clock.nextEvent == nil ? "storebus time advance 1mo" : "storebus time next"
        return command + Known.option(clock.bundleId)
    }
}
