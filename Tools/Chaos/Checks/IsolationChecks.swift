/// Checks P11: no answer and no stream has an object of another customer.
///
/// A transaction belongs to the customer whose purchase, restore or decision it answers. If the history has no such
/// line, it belongs to the first customer it is shown to. Each line that shows it to another customer is a violation.
/// Its owner never changes, so concurrency does not excuse it. Intents belong to the device they were created for.
struct IsolationChecks: Checker {
    let history: RunHistory
    var findings = Findings()

    mutating func run() {
        for (id, sightings) in history.sightings.sorted(by: { $0.key < $1.key }) {
            let made = sightings.first { [.purchase, .restore, .decideIntent].contains($0.operation) } ?? sightings[0]
            findings.examine(.p11, sightings.count)
            // The operator's requests may name no customer.
            guard !made.owner.account.isEmpty,
                let other = sightings.first(where: { $0.owner != made.owner && !$0.owner.account.isEmpty })
            else { continue }
            report(
                .p11, id, "shown to \(made.owner) only", "shown to \(other.owner)",
                [made.begin, made.line, other.begin, other.line], [id])
        }
        intents()
    }

    private mutating func intents() {
        var owners: [String: RunHistory.Attempt] = [:]
        for attempt in history.attempts(.createIntent) where attempt.isOK {
            if let intent = attempt.detail["intent"] { owners[intent] = attempt }
        }
        for session in history.sessions {
            for line in session.intents {
                guard let intent = history.entries[line].detail?["intent"], let made = owners[intent] else { continue }
                findings.examine(.p11)
                guard made.device != session.device || made.app != session.owner.app else { continue }
                report(
                    .p11, intent, "delivered to device \(made.device ?? "") only", "delivered to \(session.device)",
                    [made.begin, made.end, session.opened, line])
            }
        }
    }
}
