import StoreModels

/// Reports of scenarios for programs: JUnit's XML, and annotations of GitHub Actions.
enum ScenarioReports {
    /// The XML that CI systems read. Each file is a suite, and each scenario a test case.
    static func junit(_ reports: [ScenarioReport]) -> String {
        let total = reports.reduce(.zero) { $0 + $1.duration }
        let failed = reports.count { $0.failure != nil }
        let suites = reports.map { report in
            let file = escaped(report.scenario.file)
            let time = seconds(report.duration)
            let problem =
                if let failure = report.failure {
                    """
                          <failure message="\(escaped(failure.reasons.first ?? ""))">\
                    \(escaped(failure.place(in: report.scenario.file) + "\n" + failure.reasons.joined(separator: "\n")))\
                    </failure>\n
                    """
                } else {
                    report.isStopped ? "      <skipped message=\"stopped\"/>\n" : ""
                }
            return """
                  <testsuite name="\(file)" tests="1" failures="\(report.failure == nil ? 0 : 1)" time="\(time)">
                    <testcase name="\(escaped(report.scenario.name))" classname="\(file)" file="\(file)" time="\(time)">
                \(problem)    </testcase>
                  </testsuite>\n
                """
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites tests="\(reports.count)" failures="\(failed)" time="\(seconds(total))">
            \(suites.joined())</testsuites>\n
            """
    }

    /// A line for each failure, which GitHub Actions shows beside the step in the file.
    static func annotations(_ reports: [ScenarioReport]) -> String {
        reports.compactMap { report in
            report.failure.map { failure in
                let file = property(report.scenario.file)
                let text = message(([failure.title] + failure.reasons).joined(separator: "\n"))
                return "::error file=\(file),line=\(failure.line),title=\(property(report.scenario.name))::\(text)\n"
            }
        }.joined()
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int(duration / .milliseconds(1))
        let rest = "\(milliseconds % 1000)"
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// Escapes text for XML and HTML. XML has no place for control characters.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            case "\n", "\t": String(scalar)
            default: scalar.value < 0x20 || [0xFFFE, 0xFFFF].contains(scalar.value) ? "\u{FFFD}" : String(scalar)
            }
        }.joined()
    }

    /// Escapes the text of an annotation.
    private static func message(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "\r": "%0D"
            case "\n": "%0A"
            default: String(scalar)
            }
        }.joined()
    }

    /// Escapes a property of an annotation, in which a colon and a comma have a meaning too.
    private static func property(_ text: String) -> String {
        message(text).unicodeScalars.map { $0 == ":" ? "%3A" : $0 == "," ? "%2C" : String($0) }.joined()
    }
}

extension ScenarioReport.Failure {
    /// `pay.scenario.yaml:9: storebus sub show ${first}`
    func place(in file: String) -> String { "\(file):\(line): \(title)" }
}

/// The signed notifications of a scenario as files, for the tests of a server.
enum ScenarioFixtures {
    /// The files of a report by their names: the bodies that the store posts, in their order.
    static func files(_ report: ScenarioReport) -> [(name: String, text: String)] {
        let digits = "\(report.notifications.count)".count
        return report.notifications.enumerated().compactMap { index, one in
            guard let payload = one["signedPayload"]?.stringValue, let kind = one["kind"]?.stringValue else {
                return nil
            }
            let number = "\(index + 1)"
            let prefix = String(repeating: "0", count: digits - number.count) + number
            return ("\(prefix)-\(kind).json", JSONText.line(["signedPayload": .string(payload)]) + "\n")
        }
    }

    /// Whether a file has such a name.
    static func isName(_ name: String) -> Bool {
        let digits = name.prefix { $0.isASCII && $0.isNumber }
        return !digits.isEmpty && name.dropFirst(digits.count).hasPrefix("-") && name.hasSuffix(".json")
    }

    /// The name of a scenario's directory: its file's name without the ending.
    static func directory(_ scenario: Scenario) -> String {
        let name = scenario.file.split(separator: "/").last.map(String.init) ?? scenario.file
        let ending = Scenario.endings.first { name.hasSuffix($0) } ?? ""
        return name == "-" ? "scenario" : String(name.dropLast(ending.count))
    }
}
