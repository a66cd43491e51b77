import StoreHTTP
import StoreModels

/// The reports of a run, made of its history alone.
///
/// ``run`` is the report. JSON, Markdown, the page, JUnit and the terminal show it.
package struct RunReport: Sendable {
    package let run: ChaosRun
    package let check: HistoryCheck
    let history: RunHistory
    let statistics: RunStatistics

    /// Checks the history and counts it.
    /// - Parameter isOver: Whether the history is whole. One that goes on decides some invariants, and has no verdict.
    package init(_ entries: [HistoryEntry], options: RunOptions = RunOptions(), isOver: Bool = true) {
        history = RunHistory(entries, products: options.products)
        check = HistoryCheck(history, options)
        statistics = RunStatistics(history, services: options.setup?.processes.map(\.service) ?? [])
        run = Self.run(history, check, statistics, options.setup, isOver: isOver)
    }

    /// Most violations of one invariant that a report shows with their lines. The report counts all.
    static let shownMax = 20

    private static func run(
        _ history: RunHistory, _ check: HistoryCheck, _ statistics: RunStatistics, _ setup: ChaosRun.Setup?,
        isOver: Bool
    ) -> ChaosRun {
        let seconds = Int(statistics.duration / 1_000_000)
        var run = ChaosRun(
            setup: setup,
            updatedAt: setup.map { Timestamp(milliseconds: $0.startedAt.milliseconds + statistics.duration / 1000) },
            phase: isOver ? .ended : .warmUp, elapsedSeconds: seconds, counts: statistics.total,
            operationKinds: statistics.operations.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                ChaosRun.OperationKind(operation: $0.key.rawValue, counts: $0.value)
            },
            availability: RunStatistics.availability(statistics.total),
            availabilityInFaults: RunStatistics.availability(statistics.totalInFaults), latency: statistics.latency,
            latencyInFaults: statistics.latencyInFaults, services: statistics.services, faults: statistics.faults,
            faultKinds: kinds(statistics.faults, setup), steps: statistics.steps,
            stepSeconds: Int(statistics.stepLength / 1_000_000), money: statistics.money,
            notifications: NotificationChecks.tally(history)?.numbers, isolatedStores: isolatedStores(history),
            invariants: (isOver ? Invariant.allCases : Invariant.decidedAtOnce).map { outcome($0, check) })
        guard isOver else { return run }
        run.verdict = check.verdict
        run.gaps = check.gaps
        run.violations = shown(check)
        run.lost = lostCount(check)
        run.doubleCharges = doubleChargeCount(check)
        run.worstRecoveryMilliseconds = run.faults.compactMap(\.recoveryMilliseconds).max()
        run.line = line(run)
        return run
    }

    /// Purchases that were acknowledged and are gone.
    private static func lostCount(_ check: HistoryCheck) -> Int {
        Set(check.violations.filter { [.p1, .p9, .q5].contains($0.invariant) }.map(\.subject)).count
    }

    /// Purchases and periods that were charged more than once.
    private static func doubleChargeCount(_ check: HistoryCheck) -> Int {
        check.violations.count { violation in
            [.p8, .s1].contains(violation.invariant)
                || [.p3, .d3].contains(violation.invariant) && violation.lines.contains { $0.charges?.isEmpty == false }
        }
    }

    /// The end of a run in one line, without the place of the report:
    /// `VALID  41 208 operations, 63 faults, 0 lost, 0 double charges, worst recovery 1.8 s`
    private static func line(_ run: ChaosRun) -> String {
        let away = run.faults.count { $0.notInjected == nil && $0.recoveryMilliseconds == nil }
        return "\((run.verdict?.rawValue ?? "").uppercased())  \(ReportText.count(run.counts.all, "operation")), "
            + "\(ReportText.count(run.faults.count, "fault")), \(ReportText.number(run.lost ?? 0)) lost, "
            + "\(ReportText.count(run.doubleCharges ?? 0, "double charge")), "
            + "worst recovery \(run.worstRecoveryMilliseconds.map(ReportText.seconds) ?? "none")"
            + (away > 0 ? ", \(ReportText.number(away)) not recovered" : "")
    }

    private static func outcome(_ invariant: Invariant, _ check: HistoryCheck) -> ChaosRun.Invariant {
        let violations = check.violations.count { $0.invariant == invariant }
        let examined = check.examined[invariant, default: 0]
        return ChaosRun.Invariant(
            invariant: invariant.rawValue, statement: invariant.statement,
            outcome: violations > 0 ? .broken : examined > 0 ? .held : .notExercised, examined: examined,
            violations: violations)
    }

    /// Violations with lines: some of each invariant.
    private static func shown(_ check: HistoryCheck) -> [ChaosRun.Violation] {
        var counts: [Invariant: Int] = [:]
        return check.violations.filter { violation in
            counts[violation.invariant, default: 0] += 1
            return counts[violation.invariant, default: 0] <= shownMax
        }.map { violation in
            ChaosRun.Violation(
                invariant: violation.invariant.rawValue, subject: violation.subject, expected: violation.expected,
                found: violation.found, lines: violation.lines.map(ReportText.line))
        }
    }

    /// Counts each kind of fault. A kind that was not drawn has the reason.
    private static func kinds(_ faults: [ChaosRun.Fault], _ setup: ChaosRun.Setup?) -> [ChaosRun.FaultKind] {
        let injected = faults.filter { $0.notInjected == nil }
        let known = FaultName.allCases.map(\.rawValue)
        let names = setup == nil ? [] : known
        return (names + Set(faults.map(\.fault)).subtracting(names).sorted()).map { name in
            let own = injected.filter { $0.fault == name }
            let recoveries = own.compactMap(\.recoveryMilliseconds).map(Double.init).sorted()
            return ChaosRun.FaultKind(
                fault: name, count: own.count, services: Set(own.map(\.service)).sorted(),
                recoveryP50Milliseconds: RunStatistics.quantile(recoveries, 0.5).map { Int($0) },
                recoveryMaxMilliseconds: recoveries.last.map { Int($0) },
                reason: own.isEmpty ? reason(name, faults, setup) : nil)
        }
    }

    private static func reason(_ name: String, _ faults: [ChaosRun.Fault], _ setup: ChaosRun.Setup?) -> String {
        if faults.contains(where: { $0.fault == name }) { return "it could not be injected" }
        if let left = setup?.leftOut.first(where: { $0.name == name }) { return left.reason }
        return setup?.faultNames.contains(name) == true ? "the seed did not draw it" : "it was not asked for"
    }

    /// Counts isolated stores. Nil for a run without any.
    private static func isolatedStores(_ history: RunHistory) -> [ChaosRun.Number]? {
        let done = history.attempts(.isolated).filter { $0.kind != .info }
        guard !done.isEmpty else { return nil }
        func count(_ name: String, _ what: String, _ kind: HistoryEntry.Kind = .ok) -> ChaosRun.Number {
            ChaosRun.Number(name: name, count: done.count { $0.detail["what"] == what && $0.kind == kind })
        }
        return [
            count("made", "made"), count("purchases", "bought"), count("removed", "removed"),
            count("expired", "expired", .fail),
        ]
    }

    /// `report.json`, members sorted.
    package var json: String {
        let text = (try? StoreJSON.encode(run)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        return text + "\n"
    }
}

/// A table of a report: Markdown, the page and the terminal print it.
package struct ReportTable: Sendable {
    package var title: String
    package var columns: [String]
    package var rows: [[String]]
    /// Sentences behind the table.
    var notes: [String] = []
    /// Whether most cells are words. The page aligns them at the left.
    var isWords = false
}

extension RunReport {
    /// The arguments of the run, the store and the machine.
    var facts: [(name: String, value: String)] {
        guard let setup = run.setup else { return [] }
        let machine = setup.machine
        let memory = ReportText.fixed(Double(machine.memoryBytes) / 1_073_741_824, 1)
        let processor = machine.processor.map { "\($0), " } ?? ""
        let several = setup.processes.filter { $0.count > 1 }.map { "\($0.count) of \($0.service)" }
        let time = setup.durationSeconds
        let processes =
            several.isEmpty ? "one of each service" : several.joined(separator: ", ") + ", one of the others"
        let commit = setup.commit.map { ", commit \($0)" } ?? ""
        let customers = "\(setup.customers) with \(ReportText.count(setup.devices, "device")) each"
        let length = "\(ReportText.fixed(time, time.rounded() == time ? 0 : 1)) s"
        var facts: [(name: String, value: String)] = []
        facts.append(("seed", setup.seed))
        facts.append(("began", setup.startedAt.description))
        facts.append(("version", setup.version + commit))
        facts.append(("machine", "\(ReportText.count(machine.cores, "core")), \(processor)\(memory) GiB"))
        facts.append(("driver", setup.driver))
        facts.append(("database", setup.database))
        facts.append(("processes", processes))
        facts.append(("workload", "\(setup.workload), \(ReportText.number(setup.rate)) operations a second"))
        facts.append(("customers", customers))
        facts.append(("targets", setup.targets.joined(separator: ", ")))
        facts.append(("faults for", length))
        for left in setup.leftOut where FaultName(rawValue: left.name) == nil {
            facts.append(("left out", "\(left.name): \(left.reason)"))
        }
        return facts
    }

    /// The command that repeats the run, in lines of a shell. Nil for a run without its arguments.
    package var again: String? { run.setup.map { ReportText.shellLines($0.command) } }

    /// All tables, in their order.
    var tables: [ReportTable] {
        var tables = [faultTable, kindTable, operationTable, measureTable, serviceTable, moneyTable]
        if let counts = run.notifications { tables.append(table("Notifications", counts)) }
        if let counts = run.isolatedStores { tables.append(table("Isolated stores", counts)) }
        return tables
    }

    /// The faults of the run in their order, with their effect.
    package var faultTable: ReportTable {
        ReportTable(
            title: "Faults", columns: ["no.", "at", "lasted", "fault", "service", "meanwhile", "recovery"],
            rows: run.faults.map { fault in
                [
                    "\(fault.number)", "\(ReportText.fixed(fault.beganAtSecond, 1)) s", Self.length(fault), fault.fault,
                    fault.service + (fault.process.map { " \($0)" } ?? ""), Self.effect(fault), Self.recovery(fault),
                ]
            },
            notes: [
                "\"Meanwhile\" is from the fault's begin to its recovery. Operations that were declined on purpose are "
                    + "not among the refused. An operation under two faults counts for both."
            ], isWords: true)
    }

    private static func length(_ fault: ChaosRun.Fault) -> String {
        guard let end = fault.endedAtSecond else { return "in force" }
        let isInstant = FaultName(rawValue: fault.fault)?.isInstant == true
        return isInstant ? "an instant" : "\(ReportText.fixed(end - fault.beganAtSecond, 1)) s"
    }

    private static func effect(_ fault: ChaosRun.Fault) -> String {
        if let reason = fault.notInjected { return "not injected: \(reason)" }
        let parts = [
            (fault.refused, "refused"), (fault.unknown, "without an answer"), (fault.retried, "sent again"),
            (fault.slow, "slow"),
        ].filter { $0.0 > 0 }.map { "\(ReportText.number($0.0)) \($0.1)" }
        let all = ReportText.count(fault.operations, "operation")
        return parts.isEmpty ? "\(all), none failed" : "\(parts.joined(separator: ", ")) of \(all)"
    }

    private static func recovery(_ fault: ChaosRun.Fault) -> String {
        if let milliseconds = fault.recoveryMilliseconds { return ReportText.seconds(milliseconds) }
        return fault.notInjected == nil ? "not recovered" : "–"
    }

    /// Every kind of fault: drawn how often, or why not.
    package var kindTable: ReportTable {
        ReportTable(
            title: "Kinds of faults",
            columns: ["fault", "drawn", "services, or why none", "recovery p50", "recovery max"],
            rows: run.faultKinds.map { kind in
                [
                    kind.fault, kind.count == 0 ? "–" : ReportText.number(kind.count),
                    kind.reason ?? kind.services.joined(separator: ", "),
                    kind.recoveryP50Milliseconds.map(ReportText.seconds) ?? "–",
                    kind.recoveryMaxMilliseconds.map(ReportText.seconds) ?? "–",
                ]
            }, isWords: true)
    }

    private var operationTable: ReportTable {
        ReportTable(
            title: "Operations",
            columns: ["operation", "succeeded", "declined on purpose", "refused", "unknown outcome"],
            rows: (run.operationKinds + [ChaosRun.OperationKind(operation: "all", counts: run.counts)]).map { one in
                let counts = [one.counts.succeeded, one.counts.declined, one.counts.refused, one.counts.unknown]
                return [one.operation] + counts.map(ReportText.number)
            },
            notes: [
                "\"Declined on purpose\": the workload asked for what the store's rules forbid, or a parent, customer "
                    + "or processor declined. \"Refused\" and \"unknown outcome\" are failures."
            ])
    }

    private var measureTable: ReportTable {
        func pair(_ name: String, _ value: (ChaosRun.Latency) -> Double) -> [String] {
            [name] + [run.latency, run.latencyInFaults].map { $0.map { ReportText.milliseconds(value($0)) } ?? "–" }
        }
        return ReportTable(
            title: "Service", columns: ["", "calm", "in faults"],
            rows: [
                [
                    "availability",
                    ReportText.percent(RunStatistics.availability(statistics.total - statistics.totalInFaults)),
                    ReportText.percent(run.availabilityInFaults),
                ], pair("latency p50", \.p50Milliseconds), pair("latency p99", \.p99Milliseconds),
            ])
    }

    private var serviceTable: ReportTable {
        ReportTable(
            title: "Services", columns: ["service", "at the end", "restarts", "last recovery", "worst recovery"],
            rows: run.services.map { service in
                [
                    service.service, service.isUp ? "up" : "away", ReportText.number(service.restarts),
                    service.lastRecoveryMilliseconds.map(ReportText.seconds) ?? "–",
                    service.worstRecoveryMilliseconds.map(ReportText.seconds) ?? "–",
                ]
            })
    }

    private var moneyTable: ReportTable {
        ReportTable(
            title: "Money, in minor units",
            columns: ["currency", "transactions", "priced", "charges", "charged", "refunded"],
            rows: run.money.map { money in
                [money.currency]
                    + [money.transactions, money.priced, money.charges, money.charged, money.refunded]
                    .map(ReportText.number)
            })
    }

    private func table(_ title: String, _ numbers: [ChaosRun.Number]) -> ReportTable {
        ReportTable(title: title, columns: numbers.map(\.name), rows: [numbers.map { ReportText.number($0.count) }])
    }
}

/// How reports write numbers and lines.
package enum ReportText {
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
    package static func seconds(_ milliseconds: Int) -> String { fixed(Double(milliseconds) / 1000, 1) + " s" }

    /// Milliseconds in three digits or so: `0.65 ms`, `12 ms`, `1.8 s`.
    static func milliseconds(_ value: Double) -> String {
        value >= 1000 ? fixed(value / 1000, 1) + " s" : value >= 10 ? fixed(value, 0) + " ms" : fixed(value, 2) + " ms"
    }

    /// The longest line of a command.
    private static let columns = 78

    /// Breaks a command into lines that a POSIX shell reads as one, each ended by a backslash.
    ///
    /// A line ends at a space, or behind a comma of a list. Quoted text stays whole.
    package static func shellLines(_ command: String) -> String {
        var pieces: [String] = []
        var piece = ""
        var quote: Character?
        var isEscaped = false
        for character in command {
            piece.append(character)
            if isEscaped {
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else if quote == nil, character == " " || character == "," {
                pieces.append(piece)
                piece = ""
            }
        }
        pieces.append(piece)
        return pieces.reduce(into: [""]) { lines, piece in
            let last = lines[lines.count - 1]
            // A backslash follows.
            if last.isEmpty || last.count + piece.count < columns {
                lines[lines.count - 1] = last + piece
            } else {
                // Spaces at a line's beginning would end the word of a list.
                lines.append(last.hasSuffix(",") ? piece : "    " + piece)
            }
        }.joined(separator: "\\\n")
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
        let broken = run.invariants.count { $0.outcome == .broken }
        let skipped = run.invariants.count { $0.outcome == .notExercised }
        let gaps = run.gaps ?? []
        let errors = gaps.isEmpty ? 0 : 1
        let time = ReportText.fixed(Double(statistics.duration) / 1_000_000, 3)
        let counts = "failures=\"\(broken)\" errors=\"\(errors)\" skipped=\"\(skipped)\" time=\"\(time)\""
        let suite = "name=\"storebus chaos\" tests=\"\(run.invariants.count + 1)\" \(counts)"
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>", "<testsuite \(suite)>"]
        lines.append("<properties>")
        for fact in facts {
            lines.append(
                "<property name=\"\(ReportText.escape(fact.name))\" value=\"\(ReportText.escape(fact.value))\"/>")
        }
        lines.append("</properties>")
        lines += run.invariants.map(junit)
        lines.append("<testcase classname=\"chaos\" name=\"what the run meant to exercise\">")
        if !gaps.isEmpty {
            lines.append("<error message=\"\(ReportText.escape(gaps.joined(separator: "; ")))\"/>")
        }
        lines += ["</testcase>", "</testsuite>", "</testsuites>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private func junit(_ invariant: ChaosRun.Invariant) -> String {
        let name = ReportText.escape("\(invariant.invariant) \(invariant.statement)")
        let head = "<testcase classname=\"chaos\" name=\"\(name)\">"
        let violations = (run.violations ?? []).filter { $0.invariant == invariant.invariant }
        guard let first = violations.first else {
            let skipped = invariant.outcome == .notExercised ? "<skipped message=\"not exercised\"/>" : ""
            return head + skipped + "</testcase>"
        }
        let text = violations.map { violation in
            (["\(violation.subject): expected \(violation.expected), found \(violation.found)"]
                + violation.lines).joined(separator: "\n")
        }.joined(separator: "\n\n")
        let message = ReportText.escape("\(first.subject): expected \(first.expected), found \(first.found)")
        return head + "\n<failure message=\"\(message)\">\(ReportText.escape(text))</failure>\n</testcase>"
    }
}
