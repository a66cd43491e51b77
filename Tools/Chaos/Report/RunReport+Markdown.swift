import StoreHTTP

extension RunReport {
    /// `report.md`
    package var markdown: String {
        var lines = ["# Chaos run: \(run.verdict?.rawValue ?? "not over")", "", run.line ?? "", ""]
        if let gaps = run.gaps, !gaps.isEmpty { lines += gaps.map { "- \(Self.cell($0))" } + [""] }
        if !facts.isEmpty { lines += table(["run", ""], facts.map { [$0.name, $0.value] }) }
        if let again {
            let fence = Self.fence(around: again)
            lines += ["To repeat it:", "", "\(fence)sh", again, fence, ""]
        }
        for table in tables {
            lines += ["## \(table.title)", ""] + self.table(table.columns, table.rows)
            lines += table.notes.flatMap { [$0, ""] }
        }
        lines += ["## Invariants", ""]
        lines += table(
            ["", "invariant", "facts", "outcome"],
            run.invariants.map { one in
                [one.invariant, one.statement, ReportText.number(one.examined), one.outcome.rawValue]
            })
        guard let violations = run.violations, !violations.isEmpty else { return lines.joined(separator: "\n") }
        lines += ["## Violations", ""]
        for violation in violations {
            lines += [
                "### \(violation.invariant) \(Self.cell(violation.subject))", "",
                "Expected \(Self.cell(violation.expected)); found \(Self.cell(violation.found)).", "",
            ]
            lines += violation.lines.map { "    \($0)" } + [""]
        }
        return lines.joined(separator: "\n")
    }

    private func table(_ head: [String], _ rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return ["none", ""] }
        func row(_ cells: [String]) -> String { "| \(cells.map(Self.cell).joined(separator: " | ")) |" }
        return [row(head), "|\(head.map { _ in "---|" }.joined())"] + rows.map(row) + [""]
    }

    /// A fence that no line of the text ends: longer than each of its runs of backticks.
    private static func fence(around text: String) -> String {
        let runs = text.split { $0 != "`" }.map(\.count)
        return String(repeating: "`", count: max(3, (runs.max() ?? 0) + 1))
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
