import StoreModels

/// The reports of a run, made of its history alone.
package struct RunReport: Sendable {
    package let options: RunOptions
    package let history: RunHistory
    package let check: HistoryCheck
    package let statistics: RunStatistics
    /// Nil for a run without a receiving server.
    let notifications: NotificationChecks.Tally?

    /// Checks the history and counts it.
    package init(_ entries: [HistoryEntry], options: RunOptions = RunOptions()) {
        let history = RunHistory(entries, products: options.products)
        self.options = options
        self.history = history
        check = HistoryCheck(history, options)
        statistics = RunStatistics(history)
        notifications = NotificationChecks.tally(history)
    }

    /// Most violations of one invariant that a report shows with their lines. The report counts all.
    static let shownMax = 20

    /// Purchases that were acknowledged and are gone.
    package var lostCount: Int { count([.p1, .p9, .q5]) }
    /// Purchases and periods that were charged more than once.
    package var doubleChargeCount: Int {
        check.violations.count { violation in
            [.p8, .s1].contains(violation.invariant)
                || [.p3, .d3].contains(violation.invariant) && violation.lines.contains { $0.charges?.isEmpty == false }
        }
    }

    private func count(_ invariants: Set<Invariant>) -> Int {
        Set(check.violations.filter { invariants.contains($0.invariant) }.map(\.subject)).count
    }

    /// The end of a run in one line, without the place of the report:
    /// `VALID  41 208 operations, 63 faults, 0 lost, 0 double charges, worst recovery 1.8 s`
    package var line: String {
        let recovery = ReportText.seconds(statistics.worstRecovery)
        return "\(check.verdict.rawValue.uppercased())  \(ReportText.count(statistics.total.all, "operation")), "
            + "\(ReportText.count(statistics.faultCount, "fault")), \(ReportText.number(lostCount)) lost, "
            + "\(ReportText.count(doubleChargeCount, "double charge")), worst recovery \(recovery)"
    }

    /// The outcome of an invariant: `held`, `broken`, or `not exercised` if no fact was held against it.
    func outcome(of invariant: Invariant) -> String {
        if check.violations.contains(where: { $0.invariant == invariant }) { return "broken" }
        return check.examined[invariant, default: 0] == 0 ? "not exercised" : "held"
    }

    /// Violations with lines: some of each invariant.
    var shown: [Violation] {
        var counts: [Invariant: Int] = [:]
        return check.violations.filter { violation in
            counts[violation.invariant, default: 0] += 1
            return counts[violation.invariant, default: 0] <= Self.shownMax
        }
    }

    /// Options and their values, in the order of names, and the faults that were possible and not drawn.
    var facts: [(name: String, value: String)] {
        let drawn = Set(history.faults.map(\.name))
        let left = (options.shown["faults"] ?? "").split(separator: " ").map(String.init).filter { !drawn.contains($0) }
        var facts = options.shown.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        if !left.isEmpty { facts.append((name: "notDrawn", value: left.joined(separator: " "))) }
        return facts
    }

    static let storeTitles = ["made", "purchases", "removed", "expired"]

    /// The row of ``storeTitles``. Empty for a run without isolated stores.
    var storeCounts: [[String]] {
        let done = history.attempts(.isolated).filter { $0.kind != .info }
        guard !done.isEmpty else { return [] }
        func count(_ what: String, _ kind: HistoryEntry.Kind) -> Int {
            done.count { $0.detail["what"] == what && $0.kind == kind }
        }
        return [
            [count("made", .ok), count("bought", .ok), count("removed", .ok), count("expired", .fail)]
                .map(ReportText.number)
        ]
    }

    /// `report.json`, members sorted.
    package var json: String {
        let text = (try? StoreJSON.encode(jsonValue)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        return text + "\n"
    }

    /// ``json`` as a value, for `-o json`.
    package var jsonValue: JSONValue {
        .object([
            "verdict": .string(check.verdict.rawValue), "line": .string(line),
            "operations": .integer(statistics.total.all), "faults": .integer(statistics.faultCount),
            "lost": .integer(lostCount), "doubleCharges": .integer(doubleChargeCount),
            "worstRecoveryMilliseconds": .integer(Int(statistics.worstRecovery.rounded())),
            "gaps": .array(check.gaps.map { .string($0) }),
            "options": .object(options.shown.mapValues { .string($0) }),
            "operationsByKind": .object(
                Dictionary(
                    statistics.operations.map { ($0.key.rawValue, Self.json($0.value)) }, uniquingKeysWith: { $1 })),
            "availability": Self.json(statistics.availability),
            "availabilityInFaults": Self.json(statistics.availabilityInFaults),
            "latency": .object(["healthy": Self.json(statistics.healthy), "faulty": Self.json(statistics.faulty)]),
            "faultClasses": .array(statistics.faultClasses.map(Self.json)),
            "money": .object(statistics.money.mapValues(Self.json)),
            "notifications": notifications.map(Self.json) ?? .null,
            "invariants": .array(Invariant.allCases.map(json)),
            "violations": .array(shown.map(Self.json)),
        ])
    }

    private func json(_ invariant: Invariant) -> JSONValue {
        .object([
            "invariant": .string(invariant.rawValue), "statement": .string(invariant.statement),
            "outcome": .string(outcome(of: invariant)), "examined": .integer(check.examined[invariant, default: 0]),
            "violations": .integer(check.violations.count { $0.invariant == invariant }),
        ])
    }

    private static func json(_ violation: Violation) -> JSONValue {
        .object([
            "invariant": .string(violation.invariant.rawValue), "subject": .string(violation.subject),
            "expected": .string(violation.expected), "found": .string(violation.found),
            "lines": .array(violation.lines.map { .string(ReportText.line($0)) }),
        ])
    }

    private static func json(_ count: RunStatistics.Count) -> JSONValue {
        .object(["ok": .integer(count.ok), "fail": .integer(count.fail), "info": .integer(count.info)])
    }

    private static func json(_ value: Double?) -> JSONValue {
        value.map { .number(ReportText.fixed($0, 5)) } ?? .null
    }

    private static func json(_ latency: RunStatistics.Latency) -> JSONValue {
        .object([
            "count": .integer(latency.count), "p50": .number(ReportText.fixed(latency.p50, 2)),
            "p99": .number(ReportText.fixed(latency.p99, 2)),
        ])
    }

    private static func json(_ fault: RunStatistics.FaultClass) -> JSONValue {
        .object([
            "name": .string(fault.name), "count": .integer(fault.count),
            "recoveryP50Milliseconds": .number(ReportText.fixed(fault.recoveryP50, 1)),
            "recoveryMaxMilliseconds": .number(ReportText.fixed(fault.recoveryMax, 1)),
        ])
    }

    private static func json(_ tally: NotificationChecks.Tally) -> JSONValue {
        .object(Dictionary(tally.numbers.map { ($0.name, JSONValue.integer($0.value)) }, uniquingKeysWith: { $1 }))
    }

    private static func json(_ money: RunStatistics.Money) -> JSONValue {
        .object([
            "charges": .integer(money.charges), "charged": .integer(money.charged),
            "refunded": .integer(money.refunded), "transactions": .integer(money.transactions),
            "priced": .integer(money.priced),
        ])
    }
}

/// How reports write numbers and lines.
enum ReportText {
    /// Groups of three digits: `41 208`.
    static func number(_ value: Int) -> String {
        let digits = Array("\(abs(value))")
        let grouped = digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += " " }
            text.append(digit.element)
        }
        return (value < 0 ? "-" : "") + grouped
    }

    /// A number with its noun: `1 fault`, `63 faults`.
    static func count(_ value: Int, _ noun: String) -> String { "\(number(value)) \(noun)\(value == 1 ? "" : "s")" }

    /// A number with so many decimals, in JSON's form.
    static func fixed(_ value: Double, _ decimals: Int) -> String {
        guard value.isFinite else { return "0" }
        let scale = (0..<decimals).reduce(1) { scale, _ in scale * 10 }
        let units = Int((abs(value) * Double(scale)).rounded())
        let sign = value < 0 && units > 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(units)" }
        let rest = "\(units % scale)"
        return "\(sign)\(units / scale)." + String(repeating: "0", count: decimals - rest.count) + rest
    }

    /// Milliseconds as seconds: `1.8 s`.
    static func seconds(_ milliseconds: Double) -> String { fixed(milliseconds / 1000, 1) + " s" }

    /// Milliseconds in three digits or so: `0.65 ms`, `12 ms`, `1.8 s`.
    static func milliseconds(_ value: Double) -> String {
        value >= 1000 ? seconds(value) : value >= 10 ? fixed(value, 0) + " ms" : fixed(value, 2) + " ms"
    }

    static func percent(_ value: Double?) -> String { value.map { fixed($0 * 100, 2) + " %" } ?? "–" }

    /// A line of the history as in the file, or cut as in its violation.
    static func line(_ entry: HistoryEntry) -> String {
        String(decoding: HistoryWriter.line(entry).dropLast(), as: UTF8.self)
    }

    /// Escapes text for HTML and XML. Characters that XML has not become U+FFFD.
    static func escape(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..<" ", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

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
