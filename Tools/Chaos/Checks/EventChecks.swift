/// Checks N2: an identifier belongs to one event, identifiers grow, and a reader that resumes misses no event.
///
/// The run has a reader that follows the purchases' events from its beginning. In the end it reads all of them once
/// more. One identifier shows the same event in both readings, and each purchase has its event in both.
struct EventChecks {
    private struct Event {
        var id: String
        var transaction: String
        /// Place of its line.
        var line: Int
    }

    private let history: RunHistory
    private var findings = Findings()

    static func check(_ history: RunHistory) -> Findings {
        var checks = EventChecks(history: history)
        checks.run()
        return checks.findings
    }

    private init(history: RunHistory) { self.history = history }

    private mutating func run() {
        let live = history.eventPages.flatMap(events)
        let reads = history.attempts(.finalEvents).filter(\.isOK)
        let again = reads.compactMap(\.end).flatMap(events)
        var first: [String: Event] = [:]
        for event in live + again {
            findings.examine(.n2)
            guard let known = first[event.id] else {
                first[event.id] = event
                continue
            }
            guard known.transaction != event.transaction else { continue }
            report(
                event.id, "one event under the identifier", "\(known.transaction), and \(event.transaction)",
                [known.line, event.line])
        }
        for line in history.eventPages {
            guard let reason = history.entries[line].detail?["refused"] else { continue }
            report("position at line \(line + 1)", "a position that was given is known", reason, [line])
        }
        for events in [live, again] { grow(events) }
        // What happens while the last read goes on may be in it or not.
        guard let end = reads.first?.begin else { return }
        complete(live, "the live reader", until: end)
        complete(again, "the last read", until: end)
    }

    private mutating func grow(_ events: [Event]) {
        for (earlier, later) in zip(events, events.dropFirst()) where !Self.isBefore(earlier.id, later.id) {
            report(
                later.id, "an identifier behind \(earlier.id)", "delivered behind it", [earlier.line, later.line])
        }
    }

    /// Identifiers are numbers behind a prefix, of any length.
    private static func isBefore(_ left: String, _ right: String) -> Bool {
        (left.utf8.count, left) < (right.utf8.count, right)
    }

    private mutating func complete(_ events: [Event], _ reader: String, until end: Int) {
        let purchased = Set(events.map(\.transaction))
        for (id, sightings) in history.sightings.sorted(by: { $0.key < $1.key }) {
            guard let sighting = sightings.first(where: \.transaction.isPurchased), sighting.line < end else {
                continue
            }
            findings.examine(.n2)
            guard !purchased.contains(id) else { continue }
            report(
                "purchased \(id)", "an event of the purchase in \(reader)", "none",
                history.life(of: id) + [sighting.line, end])
        }
    }

    private func events(_ line: Int) -> [Event] {
        let detail = history.entries[line].detail ?? [:]
        func words(_ name: String) -> [String] { (detail[name] ?? "").split(separator: " ").map(String.init) }
        return zip(words("id"), words("transaction")).map { Event(id: $0, transaction: $1, line: line) }
    }

    private mutating func report(_ subject: String, _ expected: String, _ found: String, _ lines: [Int?]) {
        findings.report(.n2, subject, expected, found, history.excerpt(lines))
    }
}
