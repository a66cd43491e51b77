extension RunReport {
    /// `report.xml`: one test case an invariant, and one for the run's coverage.
    package var junit: String {
        let broken = Set(check.violations.map(\.invariant)).count
        let skipped = Invariant.allCases.count { outcome(of: $0) == "not exercised" }
        let errors = check.gaps.isEmpty ? 0 : 1
        let time = ReportText.fixed(Double(statistics.duration) / 1_000_000, 3)
        let counts = "failures=\"\(broken)\" errors=\"\(errors)\" skipped=\"\(skipped)\" time=\"\(time)\""
        let suite = "name=\"storebus chaos\" tests=\"\(Invariant.allCases.count + 1)\" \(counts)"
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>", "<testsuite \(suite)>"]
        lines.append("<properties>")
        for fact in facts {
            lines.append(
                "<property name=\"\(ReportText.escape(fact.name))\" value=\"\(ReportText.escape(fact.value))\"/>")
        }
        lines.append("</properties>")
        lines += Invariant.allCases.map(junit)
        lines.append("<testcase classname=\"chaos\" name=\"what the run meant to exercise\">")
        if !check.gaps.isEmpty {
            lines.append("<error message=\"\(ReportText.escape(check.gaps.joined(separator: "; ")))\"/>")
        }
        lines += ["</testcase>", "</testsuite>", "</testsuites>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private func junit(_ invariant: Invariant) -> String {
        let name = ReportText.escape("\(invariant.rawValue) \(invariant.statement)")
        let head = "<testcase classname=\"chaos\" name=\"\(name)\">"
        let violations = shown.filter { $0.invariant == invariant }
        guard let first = violations.first else {
            let skipped = outcome(of: invariant) == "not exercised" ? "<skipped message=\"not exercised\"/>" : ""
            return head + skipped + "</testcase>"
        }
        let text = violations.map { violation in
            (["\(violation.subject): expected \(violation.expected), found \(violation.found)"]
                + violation.lines.map(ReportText.line)).joined(separator: "\n")
        }.joined(separator: "\n\n")
        let message = ReportText.escape("\(first.subject): expected \(first.expected), found \(first.found)")
        return head + "\n<failure message=\"\(message)\">\(ReportText.escape(text))</failure>\n</testcase>"
    }
}
