/// Checks D2 and D3 of deferred purchases, and I1–I5 of purchases that begin in the store.
struct DecisionChecks: Checker {
    let history: RunHistory
    var findings = Findings()

    mutating func run() {
        deferred()
        intents()
    }

    /// D2 and D3. An approval and a refusal of one transaction do not both succeed with ends of their own. If the
    /// answers have no transaction, they do not both succeed at all. After a decision that succeeded, no read begun
    /// later shows the transaction as deferred.
    private mutating func deferred() {
        var decisions: [String: [RunHistory.Attempt]] = [:]
        for attempt in history.attempts(.approve, .decline) where attempt.isOK {
            if let id = attempt.subject { decisions[id, default: []].append(attempt) }
        }
        for (id, decided) in decisions.sorted(by: { $0.key < $1.key }) {
            findings.examine(.d2)
            func end(_ attempt: RunHistory.Attempt) -> String {
                let state = attempt.transactions?.first { $0.id == id }?.state
                return state ?? (attempt.operation == .approve ? "purchased" : "failed")
            }
            let ends = decided.filter { end($0) != "purchasing" && end($0) != "deferred" }
            if let first = ends.first, let other = ends.first(where: { end($0) != end(first) }) {
                report(
                    .d2, id, "both callers get \(end(first))", "one got \(end(other))",
                    [first.begin, first.end, other.begin, other.end], [id])
            }
            guard let first = decided.min(by: { $0.definiteEnd < $1.definiteEnd }) else { continue }
            findings.examine(.d3)
            let late = history.sightings[id]?.first {
                $0.transaction.state == "deferred" && $0.begin > first.definiteEnd
                    && [.listUnfinished, .finalUnfinished, .finalHistory].contains($0.operation)
            }
            guard let late else { continue }
            report(
                .d3, id, "deferred no longer after the \(first.operation.rawValue)", "still deferred",
                [first.begin, first.end, late.begin, late.line], [id])
        }
    }

    private struct Intent {
        var id: String
        var created: RunHistory.Attempt?
        var decisions: [RunHistory.Attempt] = []
        /// Purchases with the saved payment.
        var payments: [RunHistory.Attempt] = []
    }

    private mutating func intents() {
        var intents: [String: Intent] = [:]
        for attempt in history.attempts {
            guard let id = attempt.detail["intent"] else { continue }
            var intent = intents[id] ?? Intent(id: id)
            switch attempt.operation {
            case .createIntent: if intent.created == nil || attempt.isOK { intent.created = attempt }
            case .decideIntent: intent.decisions.append(attempt)
            case .purchase: intent.payments.append(attempt)
            default: continue
            }
            intents[id] = intent
        }
        let clocks = lastClock()
        for (_, intent) in intents.sorted(by: { $0.key < $1.key }) {
            kept(intent, clocks)
            decided(intent)
            paid(intent)
        }
        delivered(intents)
    }

    /// The last line at which a clock of an app may have moved: older intents may have expired.
    private func lastClock() -> [String: Int] {
        history.attempts(.moveClock).filter(\.isPossible).reduce(into: [:]) { last, attempt in
            let app = attempt.app ?? ""
            last[app] = max(last[app] ?? -1, attempt.definiteEnd)
        }
    }

    /// I1. An intent that was created and never possibly continued, cancelled or paid is in a final read of its device.
    /// A device without a final read decides nothing. An intent from before a move of the clock does not either.
    private mutating func kept(_ intent: Intent, _ clocks: [String: Int]) {
        guard let created = intent.created, created.isOK, clocks[created.app ?? "", default: -1] < created.begin,
            intent.payments.allSatisfy({ !$0.isPossible }),
            intent.decisions.allSatisfy({ !$0.isPossible || $0.detail["decision"] == "defer" })
        else { return }
        let reads = history.attempts(.finalIntents).filter {
            $0.isOK && $0.app == created.app && $0.device == created.device
        }
        guard let last = reads.last else { return }
        findings.examine(.i1)
        let isShown = reads.contains { read in
            (read.detail["intent"] ?? "").split(separator: " ").contains { $0 == intent.id }
        }
        guard !isShown else { return }
        report(
            .i1, intent.id, "kept until it is decided", "in no final read",
            [created.begin, created.end] + intent.decisions.flatMap { [$0.begin, $0.end] } + [last.end])
    }

    /// I1. The first stream of the device that was requested after the creation has the intent before it is
    /// synchronized, unless another stream had it before or a decision about it was about to be sent. A run decides
    /// nothing if no stream takes promoted purchases.
    private mutating func delivered(_ intents: [String: Intent]) {
        var deliveries: [String: [Int]] = [:]
        var sessions: [String: [RunHistory.Session]] = [:]
        for session in history.sessions {
            sessions["\(session.owner.app)\u{1F}\(session.device)", default: []].append(session)
            for line in session.intents {
                if let id = history.entries[line].detail?["intent"] { deliveries[id, default: []].append(line) }
            }
        }
        guard !deliveries.isEmpty else { return }
        let clocks = lastClock()
        for (id, intent) in intents.sorted(by: { $0.key < $1.key }) {
            guard let created = intent.created, created.isOK, let end = created.end,
                clocks[created.app ?? "", default: -1] < created.begin,
                let session = sessions["\(created.app ?? "")\u{1F}\(created.device ?? "")"]?.first(where: {
                    $0.requestedAfter >= end && $0.synchronized != nil
                }), let synchronized = session.synchronized
            else { continue }
            let first = (intent.decisions + intent.payments).map(\.begin).min() ?? .max
            guard first > synchronized else { continue }
            findings.examine(.i1)
            guard (deliveries[id] ?? []).allSatisfy({ $0 > synchronized }) else { continue }
            report(
                .i1, id, "delivered to the next stream of \(session.device)", "synchronized without it",
                [created.begin, end, session.opened, synchronized])
        }
    }

    /// I2. Continue and cancel do not both succeed. After one succeeds, no other decision that begins later does.
    private mutating func decided(_ intent: Intent) {
        let acknowledged = intent.decisions.filter(\.isOK)
        guard !acknowledged.isEmpty else { return }
        findings.examine(.i2)
        let final = acknowledged.filter { $0.detail["decision"] != "defer" }
        for first in final {
            let other = acknowledged.first {
                $0.detail["decision"] != first.detail["decision"]
                    && ($0.detail["decision"] != "defer" || $0.begin > first.definiteEnd)
            }
            guard let other else { continue }
            report(
                .i2, intent.id, "\(first.detail["decision"] ?? "") is the one decision",
                "\(other.detail["decision"] ?? "") succeeded too", [first.begin, first.end, other.begin, other.end])
            return
        }
    }

    /// I3, I4 and I5. All answers about an intent's payment have one transaction, of the intent's product. After a
    /// cancellation that succeeded, the intent has no transaction: a continue cannot have won before, and later ones
    /// are refused.
    private mutating func paid(_ intent: Intent) {
        let cancelled = intent.decisions.first { $0.isOK && $0.detail["decision"] == "cancel" }
        if cancelled != nil { findings.examine(.i4) }
        let answers = (intent.decisions.filter { $0.detail["decision"] == "continue" } + intent.payments)
            .filter { $0.kind != .info && $0.transactions?.isEmpty == false }
        guard let first = answers.first, let transaction = first.transactions?.first else { return }
        findings.examine(.i3)
        func report(_ invariant: Invariant, _ expected: String, _ found: String, _ tries: [RunHistory.Attempt]) {
            self.report(
                invariant, intent.id, expected, found, tries.flatMap { [$0.begin, $0.end] },
                Set(answers.flatMap { $0.transactions ?? [] }.map(\.id)))
        }
        if let other = answers.first(where: { $0.transactions?.first?.id != transaction.id }) {
            report(
                .i3, "one payment, \(transaction.id)", "another, \(other.transactions?.first?.id ?? "")",
                [first, other])
        }
        if let cancelled, let bought = answers.first(where: { $0.transactions?.first?.state == "purchased" }) {
            report(.i4, "no payment of a cancelled intent", "it was purchased", [cancelled, bought])
        }
        if let product = intent.created?.product {
            findings.examine(.i5)
            if transaction.product != product {
                report(.i5, "product \(product)", transaction.product, [intent.created, first].compactMap(\.self))
            }
        }
    }
}
