import StoreHTTP

/// The result of all checks of a history.
package struct HistoryCheck: Sendable {
    package let verdict: ChaosRun.Verdict
    package let violations: [Violation]
    /// Number of facts each invariant was held against.
    package let examined: [Invariant: Int]
    /// Reasons for an unknown verdict, in sentences.
    package let gaps: [String]

    /// Runs every checker. The same entries and options give the same result.
    package init(_ entries: [HistoryEntry], options: RunOptions = RunOptions()) {
        self.init(RunHistory(entries, products: options.products), options)
    }

    package init(_ history: RunHistory, _ options: RunOptions) {
        var findings = Findings()
        let checkers: [any Checker] = [
            PurchaseChecks(history: history), MoneyChecks(history: history), IsolationChecks(history: history),
            QueueChecks(history: history), RestoreChecks(history: history), DecisionChecks(history: history),
            OverrideChecks(history: history), OfferChecks(history: history), NotificationChecks(history: history),
            EventChecks(history: history), StoreChecks(history: history), PeerChecks(history: history),
            StoryChecks(history: history), FamilyChecks(history: history),
        ]
        for var checker in checkers {
            checker.run()
            findings.add(checker.findings)
        }
        var seen: Set<[String]> = []
        violations = findings.violations.sorted { left, right in
            (left.invariant.rank, left.lines.first?.index ?? 0, left.subject)
                < (right.invariant.rank, right.lines.first?.index ?? 0, right.subject)
        }.filter { seen.insert([$0.invariant.rawValue, $0.subject]).inserted }
        examined = findings.examined
        gaps = Self.gaps(history, options)
        verdict = !violations.isEmpty ? .invalid : gaps.isEmpty ? .valid : .unknown
    }

    /// Finds the gaps in the run's coverage. These are classes without one success, missing final reads, and keys with
    /// an unknown outcome that were not sent again.
    private static func gaps(_ history: RunHistory, _ options: RunOptions) -> [String] {
        var tried: [HistoryEntry.Operation: (all: Int, ok: Int)] = [:]
        for operation in options.operations where operation != .notification { tried[operation] = (0, 0) }
        for attempt in history.attempts {
            tried[attempt.operation, default: (0, 0)].all += 1
            if attempt.isOK { tried[attempt.operation, default: (0, 0)].ok += 1 }
        }
        var gaps: [String] = tried.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { operation, count in
            count.ok == 0 ? "\(operation.rawValue): \(count.all) tried, none succeeded" : nil
        }
        if let quiet = history.phases["quiet"] {
            var healed = Set<HistoryEntry.Operation>()
            for attempt in history.attempts where attempt.isOK && history.entries[attempt.begin].time >= quiet {
                healed.insert(attempt.operation)
            }
            gaps += options.operations.filter { !healed.contains($0) && tried[$0, default: (0, 0)].ok > 0 }.map {
                "\($0.rawValue): none succeeded after everything was healed"
            }
        }
        if tried.isEmpty { gaps.append("the history has no operation") }
        if options.operations.contains(.notification) {
            if history.arrivals.isEmpty { gaps.append("notification: the receiving server was sent none") }
            if history.phases["settled"] == nil {
                gaps.append("notification: the run did not wait for them, so which are missing is not known")
            }
        }
        if tried[.purchase, default: (0, 0)].ok > 0 {
            for read in [HistoryEntry.Operation.finalHistory, .finalCharges, .finalUnfinished] where tried[read] == nil
            {
                gaps.append("\(read.rawValue): not read, so losses are not known")
            }
        }
        let families = history.attempts(.family)
        if options.operations.contains(.family), !families.contains(where: { $0.detail["what"] == "charged" }) {
            gaps.append("family: what its persons have was not read")
        }
        var answered: [String: Bool] = [:]
        for attempt in history.attempts(.purchase) {
            guard let key = attempt.key else { continue }
            let scoped = "\(attempt.owner) \(key)"
            let isLate = history.phases["healed"].map { history.entries[attempt.begin].time >= $0 } ?? false
            answered[scoped] = answered[scoped] == true || attempt.kind != .info || isLate && attempt.end != nil
        }
        let open = answered.values.count { !$0 }
        if open > 0 { gaps.append("\(open) keys have an unknown outcome and were not sent again") }
        return gaps
    }
}

extension Invariant {
    /// The place in the order of the table.
    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
