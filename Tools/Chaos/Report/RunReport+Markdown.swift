extension RunReport {
    /// `report.md`
    package var markdown: String {
        var lines = ["# Chaos run: \(check.verdict.rawValue)", "", line, ""]
        if !check.gaps.isEmpty { lines += check.gaps.map { "- \(Self.cell($0))" } + [""] }
        if !facts.isEmpty {
            lines += table(["option", "value"], facts.map { [$0.name, $0.value] })
        }
        lines += ["## Operations", ""]
        lines += table(
            ["operation", "ok", "fail", "info"],
            statistics.operations.sorted { $0.key.rawValue < $1.key.rawValue }.map { operation, count in
                [operation.rawValue] + [count.ok, count.fail, count.info].map(ReportText.number)
            })
        lines += table(["", "overall", "in faults"], measures)
        lines += ["## Faults", ""]
        lines += table(
            ["fault", "count", "recovery p50", "recovery max"],
            statistics.faultClasses.map { fault in
                [
                    fault.name, "\(fault.count)", ReportText.seconds(fault.recoveryP50),
                    ReportText.seconds(fault.recoveryMax),
                ]
            })
        lines += ["## Money, in minor units", ""]
        lines += table(["currency", "transactions", "priced", "charges", "charged", "refunded"], sums)
        if let numbers = notifications?.numbers {
            let counts = numbers.map { ReportText.number($0.value) }
            lines += ["## Notifications", ""] + table(numbers.map(\.title), [counts])
        }
        if !storeCounts.isEmpty { lines += ["## Isolated stores", ""] + table(Self.storeTitles, storeCounts) }
        lines += ["## Invariants", ""]
        lines += table(
            ["", "invariant", "facts", "outcome"],
            Invariant.allCases.map { invariant in
                [
                    invariant.rawValue, invariant.statement, ReportText.number(check.examined[invariant, default: 0]),
                    outcome(of: invariant),
                ]
            })
        if !check.violations.isEmpty { lines += ["## Violations", ""] }
        for violation in shown {
            lines += [
                "### \(violation.invariant.rawValue) \(Self.cell(violation.subject))", "",
                "Expected \(Self.cell(violation.expected)); found \(Self.cell(violation.found)).", "",
            ]
            lines += violation.lines.map { "    \(ReportText.line($0))" } + [""]
        }
        return lines.joined(separator: "\n")
    }

    var measures: [[String]] {
        [
            [
                "availability", ReportText.percent(statistics.availability),
                ReportText.percent(statistics.availabilityInFaults),
            ],
            [
                "latency p50", ReportText.milliseconds(statistics.healthy.p50) + " healthy",
                ReportText.milliseconds(statistics.faulty.p50),
            ],
            [
                "latency p99", ReportText.milliseconds(statistics.healthy.p99) + " healthy",
                ReportText.milliseconds(statistics.faulty.p99),
            ],
        ]
    }

    var sums: [[String]] {
        statistics.money.sorted { $0.key < $1.key }.map { currency, money in
            [
                currency, ReportText.number(money.transactions), ReportText.number(Int(money.priced)),
                ReportText.number(money.charges), ReportText.number(Int(money.charged)),
                ReportText.number(Int(money.refunded)),
            ]
        }
    }

    private func table(_ head: [String], _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return ["none", ""] }
        func row(_ cells: [String]) -> String { "| \(cells.map(Self.cell).joined(separator: " | ")) |" }
        return [row(head), "|\(head.map { _ in "---|" }.joined())"] + rows.map(row) + [""]
    }

    /// Text within a line of Markdown: no bars, no markup, no HTML.
    private static func cell(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { cell, scalar in
            switch scalar {
            case "|", "\\", "`", "*", "_", "[", "]", "#": cell += "\\" + String(scalar)
            case "<": cell += "&lt;"
            case "&": cell += "&amp;"
            case "\u{0}"..<" ": cell += " "
            default: cell.unicodeScalars.append(scalar)
            }
        }
    }
}
