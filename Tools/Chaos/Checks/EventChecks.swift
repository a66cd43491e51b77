/// Checks N2: an identifier belongs to one event, identifiers grow, and a reader that resumes misses no event.
///
/// The run has a reader that follows the purchases' events from its beginning. In the end it reads all of them once
/// more. One identifier shows the same event in both readings, and each purchase has its event in both.
struct EventChecks: Checker {
    private struct Event {
        var id: String
        var transaction: String
        /// Place of its line.
        var line: Int
    }

    let history: RunHistory
    var findings = Findings()

    mutating func run() {
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
                .n2, event.id, "one event under the identifier", "\(known.transaction), and \(event.transaction)",
                [known.line, event.line])
        }
        for line in history.eventPages {
            guard let reason = history.entries[line].detail?["refused"] else { continue }
            report(.n2, "position at line \(line + 1)", "a position that was given is known", reason, [line])
        }
        for events in [live, again] { grow(events) }
        // What happens while the last read goes on may be in it or not.
        guard let end = reads.first?.begin else { return }
        complete(live, "the live reader", until: end)
        complete(again, "the last read", until: end)
    }

    private mutating func grow(_ events: [Event]) {
        for (earlier, later) in zip(events, events.dropFirst()) where !RunHistory.isBefore(earlier.id, later.id) {
            report(
                .n2, later.id, "an identifier behind \(earlier.id)", "delivered behind it", [earlier.line, later.line])
        }
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
                .n2, "purchased \(id)", "an event of the purchase in \(reader)", "none",
                history.life(of: id) + [sighting.line, end])
        }
    }

    private func events(_ line: Int) -> [Event] {
        let detail = history.entries[line].detail ?? [:]
        func words(_ name: String) -> [String] { (detail[name] ?? "").split(separator: " ").map(String.init) }
        return zip(words("id"), words("transaction")).map { Event(id: $0, transaction: $1, line: line) }
    }
}
